// What nothing reads after simplification goes.
#include "lower/kernel/kernel_ranges.h"
#include "unit/lower/hand_made.h"

using namespace tenon;
using namespace tenon_test;

namespace {

/// A chain of two temps, of which Y reads the second one where the condition does not hold.
Kernel kernel_with(const Expr& condition) {
  const Expr n = constant_int(4);
  Kernel k;
  k.name = "f";
  k.tensors = {tensor("X", Role::Input, {n}), tensor("Y", Role::Output, {n}), tensor("a", Role::Temp, {}),
               tensor("b", Role::Temp, {})};
  const Expr chosen = select(condition, at(0, {v("i")}), at(3, {}));
  k.body = {{2, {}, Update::Assign, at(0, {constant_int(0)}), {}, ""},
            {3, {}, Update::Assign, at(2, {}) + at(0, {constant_int(1)}), {}, ""},
            {1, {v("i")}, Update::Assign, chosen, {{"i", n}}, ""}};
  return k;
}

}  // namespace

TEST_CASE("simplify-again: temps that only a dropped choice read go, one after the other") {
  const Kernel after = simplify_again(kernel_with(apply(ScalarOp::Eq, {constant_int(0), constant_int(0)})));
  REQUIRE(after.body.size() == 1);
  CHECK(same(after.body[0].value, at(0, {v("i")})));
}

TEST_CASE("simplify-again: temps that are read stay") {
  CHECK(simplify_again(kernel_with(apply(ScalarOp::Lt, {v("i"), constant_int(2)}))).body.size() == 3);
}

TEST_CASE("simplify-again: absolute values of constants are known") {
  const Expr small =
      apply(ScalarOp::Lt, {apply(ScalarOp::Abs, {constant_float(-6, DType::F64)}), constant_float(1e-12, DType::F64)});
  CHECK(simplify_again(kernel_with(small)).body.size() == 3);
  CHECK(simplify_again(kernel_with(apply(ScalarOp::Not, {small}))).body.size() == 1);
}
