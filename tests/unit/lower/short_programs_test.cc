// Programs that are too short for workers.
#include <fmt/format.h>

#include "catch.h"
#include "lower/lower_plan.h"
#include "unit/schedule/planned_layer.h"

namespace short_programs_test {

using namespace tenon;
using namespace tenon_test;

TEST_CASE("a program that is so short that waking workers costs more than they save is not shared") {
  const auto step = [](int pixels) {
    const Layer layer = {fmt::format("x: \"f32[1, 16, {0}, {0}]\"", pixels), "f32[16, 16, 1, 1]", "y = conv2d(x, F)"};
    const LoweredPlan plan = lower_plan(planned(layer, {}), shipped_blueprints(), {isa_from_name("x86-64-v4")}, 2);
    return plan.levels.front().steps.back();
  };
  CHECK(step(16).phases.empty());
  CHECK(step(16).one_thread.size() == 1);
  CHECK_FALSE(step(64).phases.empty());
}

}  // namespace short_programs_test
