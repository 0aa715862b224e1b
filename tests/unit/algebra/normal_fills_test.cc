// Choices by whether an index is inside a tensor, and fills that nothing reaches.
#include "algebra/normal_fills.h"

#include "catch.h"

namespace normal_fills_test {

using namespace tenon;

namespace {

/// A kernel of one tensor X[8].
Kernel kernel_of_eight() {
  Kernel k;
  const Expr n = constant_int(8);
  k.tensors = {{"X", Role::Input, DType::F32, {n}, {constant_int(1)}}};
  return k;
}

Expr at(const Expr& index, Expr fill = nullptr) { return read_of(0, DType::F32, {index}, std::move(fill)); }
Expr zero() { return constant_float(0, DType::F32); }
Expr from_zero(const Expr& i) { return apply(ScalarOp::Ge, {i, constant_int(0)}); }
Expr below(const Expr& i, int64_t n) { return apply(ScalarOp::Lt, {i, constant_int(n)}); }
Expr normal(const Expr& e, int64_t extent) { return normal_fills(kernel_of_eight(), e, {{"i", constant_int(extent)}}); }

}  // namespace

TEST_CASE("a choice between a read and a number by whether the index is inside is a read with a fill") {
  const Expr i = var_ref("i"), shifted = i - constant_int(1);
  const Expr both = apply(ScalarOp::And, {from_zero(shifted), below(shifted, 8)});
  CHECK(same(normal(select(both, at(shifted), zero()), 10), at(shifted, zero())));
  CHECK(same(normal(select(below(i, 8), at(i), zero()), 10),
             at(i, zero())));  // that i is not negative needs no condition
}

TEST_CASE("a choice by anything else stays one") {
  const Expr i = var_ref("i"), shifted = i - constant_int(1);
  const Expr other_bound = select(below(i, 7), at(i), zero());
  const Expr half_said = select(below(shifted, 8), at(shifted), zero());
  const Expr more_said = select(apply(ScalarOp::And, {below(i, 8), from_zero(i - constant_int(2))}), at(i), zero());
  for (const Expr& e : {other_bound, half_said, more_said}) CHECK(same(normal(e, 10), e));
}

TEST_CASE("a fill that no index reaches goes away") {
  const Expr i = var_ref("i");
  CHECK(same(normal(at(i, zero()), 8), at(i)));
  CHECK(same(normal(at(i, zero()), 9), at(i, zero())));
}

}  // namespace normal_fills_test
