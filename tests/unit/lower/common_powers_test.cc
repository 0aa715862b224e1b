// Loops over powers with one exponent: they are written again, with squares, cubes, roots and inverses.
#include "unit/lower/hand_made.h"

namespace common_powers_test {

using namespace tenon;
using namespace tenon_test;

namespace {

/// Y[r, x] = A[r, x] to the power of the exponent; `N` columns, B has one number a row, C is like A.
Kernel powers(const Expr& exponent) {
  const Expr r = constant_int(5), x = size_ref("N");
  Kernel k;
  k.name = "powers_f32";
  k.sizes = {{"N"}};
  k.tensors = {tensor("A", Role::Input, {r, x}), tensor("B", Role::Input, {r}), tensor("C", Role::Input, {r, x}),
               tensor("Y", Role::Output, {r, x})};
  const Expr power = apply(ScalarOp::Pow, {at(0, {v("r"), v("x")}), exponent});
  k.body = {{3, {v("r"), v("x")}, Update::Assign, power, {{"r", r}, {"x", x}}, ""}};
  return k;
}

bool has_simple_powers(const Expr& exponent, std::string_view level) {
  const std::string text = to_text(lowered(powers(exponent), level));
  REQUIRE(count(text, "pow") > 0);
  CHECK((count(text, "sq(") > 0) == (count(text, "sqrt(") > 0));
  CHECK((count(text, "sq(") > 0) == (count(text, "div(") > 0));
  return count(text, "sq(") > 0;
}

}  // namespace

TEST_CASE("powers with one exponent in all iterations have loops of squares, cubes, roots and inverses") {
  for (const char* level : {"portable", "x86-64-v2", "x86-64-v3", "x86-64-v4", "neon"}) {
    INFO(level);
    CHECK(has_simple_powers(at(1, {v("r")}), level));
    CHECK_FALSE(has_simple_powers(at(2, {v("r"), v("x")}), level));
    CHECK_FALSE(has_simple_powers(constant_float(3, DType::F32), level));
  }
  CHECK(has_simple_powers(at(1, {constant_int(0)}) * constant_float(2, DType::F32), "x86-64-v3"));
}

TEST_CASE("the exponent is read only if the loop has an iteration") {
  const std::string text = to_text(lowered(powers(at(1, {v("r")})), "x86-64-v3"));
  CHECK(count(text, "if and(lt(0, N), eq(") == 8);
}

}  // namespace common_powers_test
