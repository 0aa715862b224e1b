// Pools of known sizes: lines made for blocks of rows where the level has vectors, and the memory of workers.
#include "catch.h"
#include "ir/nest/workspace_bound.h"
#include "lower/lower_kernel.h"
#include "lower/lower_plan.h"
#include "planned_layer.h"

using namespace tenon;
using namespace tenon_test;

namespace {

Layer pool(const std::string& inputs, const std::string& call) { return {inputs, "f32[1]", "y = " + call}; }

const std::vector<Layer> kPools = {
    pool("x: \"f32[1, 3, 14, 14]\"", "maxpool2d(x, kernel=[3, 3], pads=[1, 1, 1, 1]) * F"),
    pool("x: \"f32[1, 1, 17, 5]\"", "maxpool2d(x, kernel=[3, 3], pads=[1, 1, 1, 1]) * F"),
    pool("x: \"f32[2, 3, 13, 40]\"", "maxpool2d(x, kernel=[5, 3], stride=[2, 2], pads=[2, 1, 1, 2]) * F"),
    pool("x: \"f32[N, 3, 8, 7]\"", "avgpool2d(x, kernel=[3, 3], pads=[1, 1, 1, 1]) * F"),
    pool("x: \"f32[1, 2, 3, 2]\"", "maxpool2d(x, kernel=[2, 2], pads=[1, 1, 0, 0]) * F"),
};

}  // namespace

TEST_CASE("pools of known sizes: blocks of lines where there are vectors, the values of the oracle everywhere") {
  for (const Layer& layer : kPools) {
    const ExecutionPlan plan = planned(layer, {});
    const std::vector<double> want = values(plan);
    for (const Isa& isa : all_isas()) {
      if (!isa.base.empty()) continue;  // differs in products of bytes alone
      const LoopNest nest = lower_kernel(plan.steps.back().kernel, tenon_test::shipped_blueprints(), isa);
      INFO(layer.main << " " << isa.name << "\n" << to_text(nest));
      CHECK(verify(nest).empty());
      CHECK(error_of(values(plan, &nest), want) < 1e-6);
      CHECK((to_text(nest).find("_block") != std::string::npos) == (isa.vector_bits != 0));
    }
  }
}

TEST_CASE("workers that share a pool have lines that no fetch of the next worker's lines reaches") {
  const ExecutionPlan plan =
      planned(pool("x: \"f32[1, 480, 14, 14]\"", "maxpool2d(x, kernel=[3, 3], pads=[1, 1, 1, 1]) * F"), {});
  for (const char* level : {"portable", "x86-64-v4"}) {
    const LoweredPlan lowered = lower_plan(plan, tenon_test::shipped_blueprints(), {isa_from_name(level)}, 2);
    const LoweredStep& step = lowered.levels.front().steps.back();
    REQUIRE_FALSE(step.phases.empty());
    const auto own = maximum_worker_bytes(step.phases.back().nest);
    REQUIRE(own);
    CHECK(*own > 0);
    CHECK(lowered.workspaces.back().per_worker >= *own + 128);
  }
}
