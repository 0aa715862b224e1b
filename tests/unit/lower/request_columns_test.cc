// Requests for columns that come from beyond the second-level cache, and rows of a block for large results and weights.
#include <algorithm>

#include "catch.h"
#include "lower/lower_kernel.h"
#include "lower/lower_plan.h"
#include "unit/schedule/planned_layer.h"

namespace request_columns_test {

using namespace tenon;
using namespace tenon_test;

namespace {

/// What a level makes of a layer.
LoopNest lowered(const Layer& layer, const char* level = "x86-64-v4") {
  return lower_kernel(planned(layer, {}).steps.back().kernel, shipped_blueprints(), *isa_from_name(level));
}

bool asks_ahead(const LoopNest& nest) {
  return std::any_of(nest.functions.begin(), nest.functions.end(),
                     [](const InnerFunction& f) { return f.name.find("_ahead") != std::string::npos; });
}

/// Whether tiles of all these levels ask ahead; their values are compared with the oracle's.
bool ask_ahead(const Layer& layer, std::initializer_list<const char*> levels) {
  const ExecutionPlan plan = planned(layer, {});
  const std::vector<double> want = values(plan);
  bool all = true;
  for (const char* level : levels) {
    const LoopNest nest = lowered(layer, level);
    INFO(layer.main << " " << level);
    CHECK(verify(nest).empty());
    CHECK(error_of(values(plan, &nest), want) < 1e-6);
    all = all && asks_ahead(nest);
  }
  return all;
}

/// The iterations that workers share in the last phase; 0 where it is not shared.
int64_t shared(const Layer& layer) {
  const LoweredPlan plan = lower_plan(planned(layer, {}), shipped_blueprints(), {isa_from_name("x86-64-v4")}, 2);
  const LoweredStep& step = plan.levels.front().steps.back();
  return step.phases.empty() ? 0 : step.phases.back().iterations.value_or(-1);
}

}  // namespace

TEST_CASE("tiles ask for the lines of columns that the second-level cache does not hold", "[slow]") {
  const Layer far = {"x: \"f32[1, 64, 60, 72]\"", "f32[17, 64, 1, 1]", "y = conv2d(x, F)"},
              near = {"x: \"f32[1, 16, 60, 72]\"", "f32[17, 16, 1, 1]", "y = conv2d(x, F)"},
              one_tile = {"x: \"f32[1, 64, 60, 72]\"", "f32[8, 64, 1, 1]", "y = conv2d(x, F)"};
  CHECK(ask_ahead(far, {"x86-64-v4", "x86-64-v3"}));
  CHECK_FALSE(asks_ahead(lowered(far, "portable")));
  CHECK_FALSE(asks_ahead(lowered(near)));
  CHECK_FALSE(asks_ahead(lowered(one_tile)));
}

TEST_CASE("tiles of several rows ask for weights that the second-level cache does not hold", "[slow]") {
  CHECK(ask_ahead({"x: \"f32[20, 512]\"", "f32[512, 512]", "y = matmul(x, F)"}, {"x86-64-v4"}));
  CHECK_FALSE(asks_ahead(lowered({"x: \"f32[20, 128]\"", "f32[128, 512]", "y = matmul(x, F)"})));
  CHECK_FALSE(asks_ahead(lowered({"x: \"f32[9, 512]\"", "f32[512, 512]", "y = matmul(x, F)"})));  // one tile
}

TEST_CASE("a result beyond the second-level cache is written along its rows", "[slow]") {
  const Layer large = {"x: \"f32[1, 8, 66, 66]\"", "f32[65, 8, 1, 1]", "y = conv2d(x, F)"},
              small = {"x: \"f32[1, 8, 66, 66]\"", "f32[33, 8, 1, 1]", "y = conv2d(x, F)"};
  for (const Layer& layer : {large, small}) ask_ahead(layer, {"x86-64-v4"});
  CHECK(shared(large) == 5 * 137);  // blocks of 13 rows, each of all panels
  CHECK(shared(small) == 137);
}

TEST_CASE("convolutions whose input is near read far weights once", "[slow]") {
  CHECK(shared({"x: \"f32[1, 512, 7, 7]\"", "f32[512, 512, 3, 3]", "y = conv2d(x, F, pads=[1, 1, 1, 1])"}) == 16);
}

}  // namespace request_columns_test
