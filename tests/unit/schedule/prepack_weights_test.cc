// Weights are laid out as panels at generation, also where an activation uses the sums more than once.
#include "catch.h"
#include "lower/lower_kernel.h"
#include "planned_layer.h"

using namespace tenon;
using namespace tenon_test;

namespace {

const std::string kPixels = "x: \"f32[1, 6, 9, 11]\"", kFilters = "f32[20, 6, 3, 3]", kRows = "x: \"f32[3, 40]\"",
                  kMatrix = "f32[40, 37]";

/// [outer][column / 16][depth][column % 16]
bool are_panels(const ExecutionPlan& plan) {
  const PlanStep& step = plan.steps.back();
  for (size_t t = 0; t < step.kernel.tensors.size(); ++t)
    if (step.kernel.tensors[t].role == Role::Constant)
      return plan.buffers[static_cast<size_t>(step.buffers[t])].dims.size() == 4 &&
             plan.buffers[static_cast<size_t>(step.buffers[t])].dims[3] == 16;
  return false;
}

void check_activation(const Layer& sums, const std::string& activation, double (*f)(double)) {
  INFO(sums.main << " then " << activation);
  Layer both = sums;
  both.main = "s = " + sums.main.substr(4) + "\n  y = " + activation;
  const ExecutionPlan plan = planned(both, {});
  REQUIRE(plan.steps.size() == 1);
  CHECK(are_panels(plan));
  std::vector<double> want;
  for (const double x : values(planned(sums, {}))) want.push_back(f(x));
  CHECK(error_of(values(plan), want) < 1e-6);
  for (const char* level : {"portable", "x86-64-v3", "x86-64-v4", "neon"}) {
    const Isa& isa = *isa_from_name(level);
    const LoopNest nest = lower_kernel(plan.steps[0].kernel, tenon_test::shipped_blueprints(), isa);
    CHECK(error_of(values(plan, &nest), want) < 1e-5);
  }
}

double silu_of(double x) { return x / (1 + std::exp(-x)); }

}  // namespace

TEST_CASE("the weights of sums that an activation uses twice are panels") {
  check_activation({kPixels, kFilters, "y = conv2d(x, F, stride=[2, 2])"}, "mul(s, sigmoid(s))", silu_of);
  check_activation({kRows, kMatrix, "y = matmul(x, F)"}, "silu(s)", silu_of);
  check_activation({kRows, kMatrix, "y = matmul(x, F)"}, "mul(s, s)", [](double x) { return x * x; });
}

TEST_CASE("weights that are read outside of the sums stay as they are") {
  const ExecutionPlan plan = planned({"x: \"f32[40, 40]\"", "f32[40, 40]", "y = add(matmul(x, F), F)"}, {});
  CHECK(!are_panels(plan));
}
