// Division of extents: what divides exactly leaves no quotient behind.
#include "ir/graph/size_expr.h"

#include "catch.h"
#include "ir/number/interval.h"

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

TEST_CASE("ir: factors that dividend and divisor share are cancelled") {
  const SizeExpr n = size_name("n"), m = size_name("m"), k = size_name("k"), one = 1, two = 2;
  CHECK(to_text(floor_div(SizeExpr(3) * k * (n - one), SizeExpr(8) * m * (n - one))) == "3*k//(8*m)");
  CHECK(floor_div(SizeExpr(6) * (n - one), SizeExpr(4) * (one - n)) == floor_div(SizeExpr(-3), 2));
  CHECK(to_text(floor_div(two * k * (n + one), SizeExpr(4) * k * (m + one))) == "(n + 1)//(2*m + 2)");
  CHECK(to_text(floor_mod(k * (n - one), two * (n - one))) == "-(k%2) + (k%2)*n");
}

TEST_CASE("ir: quotients of quotients and remainders of remainders are one") {
  const SizeExpr n = size_name("n"), m = size_name("m"), one = 1;
  CHECK(floor_div(floor_div(n, 5), 2) == floor_div(n, 10));
  CHECK(to_text(floor_div(floor_div(n, 5) - SizeExpr(2), 2)) == "n//10 - 1");
  CHECK(to_text(floor_div(floor_div(n - one, 2) + one, 2)) == "(n + 1)//4");
  CHECK(to_text(floor_div(floor_div(n, 2) + m, 3)) == "(2*m + n)//6");
  CHECK(to_text(floor_div(floor_div(n, 2) + floor_div(m, 2), 3)) == "(m//2 + n//2)//3");
  CHECK(to_text(floor_div(SizeExpr(2) * floor_div(n, 2), 3)) == "2*(n//2)//3");
  CHECK(to_text(floor_mod(floor_mod(n, 12) + m, 4)) == "(m + n)%4");
  CHECK(to_text(floor_mod(floor_mod(n, 6), 4)) == "n%6%4");
  CHECK(to_text(floor_mod(SizeExpr(3) * floor_mod(n, 4), 4)) == "3*n%4");
}

TEST_CASE("ir: simplified quotients have the values of their definition") {
  const SizeExpr n = size_name("n"), m = size_name("m");
  for (int64_t a = -9; a <= 9; ++a)
    for (int64_t b = -9; b <= 9; ++b) {
      const SizeValues values = {{"n", a}, {"m", b}};
      const int64_t inner = floor_quotient(a, 3) + b;
      CHECK(evaluate(floor_div(floor_div(n, 3) + m, 4), values) == floor_quotient(inner, 4));
      CHECK(evaluate(floor_mod(SizeExpr(5) * floor_mod(n, 8) + m, 4), values) ==
            ((5 * ((a % 8 + 8) % 8) + b) % 4 + 4) % 4);
      if (a == b) continue;
      CHECK(evaluate(floor_div(m * (n - m), SizeExpr(2) * (n - m)), values) == floor_quotient(b, 2));
      CHECK(evaluate(floor_mod(m * (n - m), SizeExpr(2) * (n - m)), values) == (a - b) * ((b % 2 + 2) % 2));
    }
}

TEST_CASE("ir: what a sum does not divide stays a quotient") {
  const SizeExpr n = size_name("n"), m = size_name("m");
  for (const auto& [a, b] : std::vector<std::pair<SizeExpr, SizeExpr>>{
           {n * n + SizeExpr(1), n + SizeExpr(1)}, {SizeExpr(1), n + m}, {n * m, n + m}}) {
    CHECK(floor_div(a, b).op == ScalarOp::FloorDiv);
    CHECK(floor_mod(a, b).op == ScalarOp::Mod);
  }
  // numbers that 64 bits do not hold when they are multiplied are left as they are
  const SizeExpr large = SizeExpr(int64_t{1} << 40);
  CHECK(floor_div(large * n + large * m, n + m).op == ScalarOp::FloorDiv);
}

}  // namespace size_expr_test
