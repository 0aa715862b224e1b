// Contractions of narrow integers go over words of two; wide ones and floats do not.
#include "algebra/pair_depth.h"

#include "catch.h"

namespace pair_depth_test {

using namespace tenon;

namespace {

Tensor tensor(const char* name, Role role, DType dtype, std::vector<Expr> dims) {
  auto strides = contiguous_strides(dims);
  return {name, role, dtype, std::move(dims), std::move(strides)};
}

/// Y[m,n] = Σ_k A[m,k]·B[k,n] in i32 over operands of type `d`.
Kernel product_kernel(DType d, const Expr& K) {
  const Expr M = size_ref("M"), N = size_ref("N");
  Kernel k;
  k.name = "product";
  k.sizes = {{"M"}, {"N"}};
  k.tensors = {tensor("A", Role::Input, d, {M, K}), tensor("B", Role::Input, d, {K, N}),
               tensor("Y", Role::Output, DType::I32, {M, N})};
  KernelStatement s;
  s.target = 2;
  s.index = {var_ref("m"), var_ref("n")};
  s.loops = {{"m", M}, {"n", N}};
  const Expr a = cast_to(read_of(0, d, {var_ref("m"), var_ref("k")}), DType::I32),
             b = cast_to(read_of(1, d, {var_ref("k"), var_ref("n")}), DType::I32);
  s.value = reduce(Reducer::Sum, {{"k", K}}, nullptr, a * b, DType::I32);
  k.body = {s};
  return k;
}

std::optional<Contraction> paired(const Kernel& k) {
  const auto c = find_contraction(k);
  REQUIRE(c.has_value());
  return pair_depth(*c);
}

}  // namespace

TEST_CASE("an even depth of 8-bit numbers is copied in pairs") {
  const Kernel k = product_kernel(DType::I8, constant_int(8));
  const auto c = paired(k);
  REQUIRE(c.has_value());
  CHECK(c->paired == "k");
  CHECK(c->low_halves);
  CHECK_FALSE(c->pair_last);
  CHECK(constant_value(c->depth[0].extent) == 4);
}

TEST_CASE("an odd depth counts a 0 in its last word") {
  const Kernel k = product_kernel(DType::U8, constant_int(7));
  const auto c = paired(k);
  REQUIRE(c.has_value());
  CHECK(c->low_halves);
  CHECK(constant_value(c->pair_last) == 6);
  CHECK(constant_value(c->depth[0].extent) == 4);
}

TEST_CASE("numbers that leave 16 bits stay single") {
  const Kernel wide = product_kernel(DType::I32, constant_int(8)), open = product_kernel(DType::U16, constant_int(8));
  CHECK_FALSE(paired(wide).has_value());
  CHECK_FALSE(paired(open).has_value());
}

}  // namespace pair_depth_test
