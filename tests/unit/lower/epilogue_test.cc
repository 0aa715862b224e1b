// What is done with finished sums: each part of the value is computed once for a vector of them.
#include "catch.h"
#include "lower/lower_kernel.h"
#include "unit/schedule/planned_layer.h"

namespace epilogue_test {

using namespace tenon;
using namespace tenon_test;

namespace {

int count(const std::string& text, const std::string& what) {
  int n = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("epilogue: functions of sums are computed once, by the form for bounded arguments") {
  const ExecutionPlan plan = planned({"x: \"f32[33, 20]\"", "f32[20, 40]", "y = gelu_tanh(matmul(x, F))"}, {});
  REQUIRE(plan.steps.size() == 1);
  const std::vector<double> want = values(plan);
  for (const Isa& isa : all_isas()) {
    if (!isa.base.empty()) continue;
    const LoopNest nest = lower_kernel(plan.steps[0].kernel, tenon_test::shipped_blueprints(), isa);
    const std::string text = to_text(nest);
    INFO(text);
    CHECK(verify(nest).empty());
    CHECK(error_of(values(plan, &nest), want) < 1e-6);
    CHECK(nest.blueprint != "loops");
    CHECK(count(text, " exp(") + count(text, "(exp(") == 0);
    CHECK(count(text, "exp_bounded(") > 0);
    CHECK(count(text, "exp_bounded(") == count(text, " = exp_bounded("));
  }
}

TEST_CASE("epilogue: each element is stored once where the number of columns decides on the rows of a block") {
  // 16 rows are no multiple of a tile, and 128 columns of short sums take one tile of rows after the other.
  const ExecutionPlan plan = planned({"x: \"f32[16, 64*N]\"", "f32[16, 16]", "y = x + matmul(F, x)"}, {});
  REQUIRE(plan.steps.size() == 1);
  const std::vector<double> want = values(plan);
  for (const Isa& isa : all_isas()) {
    if (!isa.base.empty()) continue;
    const LoopNest nest = lower_kernel(plan.steps[0].kernel, tenon_test::shipped_blueprints(), isa);
    NestWork work;
    INFO(to_text(nest));
    CHECK(error_of(values(plan, &nest, &work), want) < 1e-6);
    CHECK(nest.blueprint != "loops");
    CHECK(work.stores <= 3 * 16 * 128);  // of sums, of copied columns, of results: x may be in the memory of y
  }
}

}  // namespace epilogue_test
