// SizeExpr: equal extents compare equal, print as a person writes them, and evaluate.
#include "ir/graph/size_expr.h"

#include "catch.h"

namespace size_expr_test {

using namespace tenon;

TEST_CASE("size: sums and products have one form") {
  const SizeExpr n = size_name("N"), m = size_name("M");
  CHECK(n * SizeExpr(2) + SizeExpr(4) - n == n + SizeExpr(4));
  CHECK((n + m) * SizeExpr(3) == SizeExpr(3) * m + SizeExpr(3) * n);
  CHECK(n * m == m * n);
  CHECK(n - n == SizeExpr(0));
}

TEST_CASE("size: quotients take out what divides") {
  const SizeExpr n = size_name("N"), m = size_name("M");
  CHECK(floor_div(n * SizeExpr(256), SizeExpr(256)) == n);
  CHECK(floor_div(n * m * SizeExpr(6), n * SizeExpr(2)) == m * SizeExpr(3));
  CHECK(to_text(floor_div(n * m, n * SizeExpr(2))) == "M//2");
  CHECK(to_text(floor_div(n * n * m + n * SizeExpr(2), n * m * SizeExpr(2))) == "(M*N + 2)//(2*M)");
  CHECK(to_text(floor_div(n * SizeExpr(2) + SizeExpr(2), SizeExpr(4))) == "(N + 1)//2");
  CHECK(to_text(floor_div(n * SizeExpr(2) + SizeExpr(5), SizeExpr(2))) == "N + 2");
  CHECK(to_text(floor_div(n + SizeExpr(3), SizeExpr(2))) == "(N + 1)//2 + 1");
  CHECK(floor_mod(n * SizeExpr(4) + SizeExpr(7), SizeExpr(4)) == SizeExpr(3));
}

TEST_CASE("size: values agree with the arithmetic of floor division") {
  const SizeExpr n = size_name("N");
  for (int64_t v = 0; v < 20; ++v) {
    const SizeValues at{{"N", v}};
    CHECK(evaluate(floor_div(n - SizeExpr(7), SizeExpr(3)), at) == (v - 7 >= 0 ? (v - 7) / 3 : -((7 - v + 2) / 3)));
    CHECK(evaluate(floor_div(SizeExpr(2) * n + SizeExpr(3), SizeExpr(4)), at) == (2 * v + 3) / 4);
    CHECK(evaluate(floor_mod(SizeExpr(3) * n + SizeExpr(1), SizeExpr(5)), at) == (3 * v + 1) % 5);
    CHECK(substitute(n * n + SizeExpr(1), at) == SizeExpr(v * v + 1));
  }
  CHECK_FALSE(evaluate(n, {}));
  CHECK_FALSE(evaluate(n * n, {{"N", int64_t{1} << 40}}));
}

TEST_CASE("size: text has the parentheses that it needs") {
  const SizeExpr n = size_name("N"), m = size_name("M");
  CHECK(to_text(SizeExpr(3) - n) == "-N + 3");
  CHECK(to_text(floor_div(n + m, SizeExpr(2)) * SizeExpr(2)) == "2*((M + N)//2)");
  CHECK(to_text(size_max(n, SizeExpr(1))) == "max(N, 1)");
}

}  // namespace size_expr_test
