// Programs that are too short for workers.
#include <fmt/format.h>

#include "catch.h"
#include "lower/lower_plan.h"
#include "support/ranges.h"
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

TEST_CASE("sizes of a range count at their upper bounds when work is shared") {
  const auto shared = [](int pixels) {
    const Layer layer = {fmt::format("x: \"f32[N, 16, {0}, {0}]\"", pixels), "f32[16, 16, 1, 1]", "y = conv2d(x, F)"};
    const LoweredPlan plan = lower_plan(planned(layer, {}), shipped_blueprints(), {isa_from_name("x86-64-v3")}, 2);
    return plan.levels.front().steps.back().phases;
  };
  CHECK(shared(8).empty());
  REQUIRE_FALSE(shared(64).empty());
  const Layer row = {"x: \"f32[N, 64, 1024]\"", "f32[1]", "y = sum(x, axes=[2], keepdims=false)"};
  const LoweredPlan plan = lower_plan(planned(row, {}), shipped_blueprints(), {isa_from_name("x86-64-v3")}, 2);
  const std::vector<Phase>& phases = plan.levels.front().steps.back().phases;
  REQUIRE(phases.size() == 1);
  CHECK_FALSE(phases[0].iterations);
  CHECK(phases[0].grain >= 8);
}

TEST_CASE("a product of known extents is shared although its packed side is larger than a cache") {
  const auto phases = [](const std::string& call) {
    const Layer layer = {"x: \"f32[1024, 128]\", y: \"f32[1024, 1024]\"", "f32[1]", "z = " + call};
    const LoweredPlan plan = lower_plan(planned(layer, {}), shipped_blueprints(), {isa_from_name("x86-64-v3")}, 2);
    return plan.levels.front().steps.back().phases;
  };
  for (const std::string call : {"gemm(x, y, transA=true)", "matmul(y, y)"}) {
    INFO(call);
    const std::vector<Phase> shared = phases(call);
    REQUIRE_FALSE(shared.empty());
    CHECK(shared.back().parallel);
  }
}

TEST_CASE("a line of elements of a range of lengths is shared by blocks where it may be long") {
  const auto phases = [](int columns) {
    const Layer row = {fmt::format("x: \"f32[N, {}]\"", columns), "f32[1]", "y = tanh(x)"};
    const LoweredPlan plan = lower_plan(planned(row, {}), shipped_blueprints(), {isa_from_name("x86-64-v3")}, 2);
    return plan.levels.front().steps.back().phases;
  };
  CHECK(phases(1024).empty());
  REQUIRE(phases(65536).size() == 1);
  CHECK(phases(65536)[0].parallel);
  CHECK_FALSE(phases(65536)[0].iterations);
}

TEST_CASE("short steps of a loop are not shared for the sake of a long step outside") {
  const Layer layer = {"x: \"f32[20, 96, 16]\", a: \"f32[65536, 16]\"", "f32[16, 16]",
                       "b = tanh(matmul(a, F))\n  "
                       "y, s = scan('cell', [full(shape=[96, 16], value=0, dtype=f32)], [x], [F], false)",
                       "b, y", "{\"cell(t, h, x, F)\": \"[softmax(h + x + sum(F), axis=1), h]\"}"};
  const ExecutionPlan plan = planned(layer, {});
  const LoweredPlan lowered = lower_plan(plan, shipped_blueprints(), {isa_from_name("x86-64-v3")}, 2);
  INFO(to_text(lowered));
  int inside = 0;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const LoweredStep& step = lowered.levels.front().steps[i];
    if (plan.steps[i].region == kTopLevel) continue;
    ++inside;
    CHECK(step.phases.empty());
    CHECK(to_text(lowered).find("all of the loop or branch around it is so short") != std::string::npos);
  }
  CHECK(inside > 0);
  CHECK(any_of(lowered.levels.front().steps, [](const LoweredStep& s) { return !s.phases.empty(); }));
}

}  // namespace short_programs_test
