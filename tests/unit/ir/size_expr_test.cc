// Division of extents: what divides exactly leaves no quotient behind.
#include "ir/graph/size_expr.h"

#include "catch.h"

namespace size_expr_test {

using namespace tenon;

TEST_CASE("ir: a sum divides its multiples") {
  const SizeExpr n = size_name("n"), m = size_name("m"), half = floor_div(n, 2);
  const SizeExpr sum = half * m - m + SizeExpr(1);
  CHECK(floor_div(SizeExpr(16) * n * sum, SizeExpr(8) * n * sum) == 2);
  CHECK(floor_div(sum * (n + m), sum) == n + m);
  CHECK(floor_div((n + m) * (n - m), n - m) == n + m);
  CHECK(floor_div((n - m) * (n - m) * (n + SizeExpr(3)), n - m) == (n - m) * (n + SizeExpr(3)));
  CHECK(floor_mod(sum * (n + m), sum) == 0);
}

TEST_CASE("ir: what a sum does not divide stays a quotient") {
  const SizeExpr n = size_name("n"), m = size_name("m");
  for (const auto& [a, b] : std::vector<std::pair<SizeExpr, SizeExpr>>{{n * n + SizeExpr(1), n + SizeExpr(1)},
                                                                       {n + m, SizeExpr(2) * n + SizeExpr(2) * m},
                                                                       {SizeExpr(1), n + m},
                                                                       {n * m, n + m}}) {
    CHECK(floor_div(a, b).op == ScalarOp::FloorDiv);
    CHECK(floor_mod(a, b).op == ScalarOp::Mod);
  }
  // numbers that 64 bits do not hold when they are multiplied are left as they are
  const SizeExpr large = SizeExpr(int64_t{1} << 40);
  CHECK(floor_div(large * n + large * m, n + m).op == ScalarOp::FloorDiv);
}

}  // namespace size_expr_test
