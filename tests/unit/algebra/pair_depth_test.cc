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

/// Y[f,y,x] = Σ_crs X[c, y + r, x + s·step]·W[f,c,r,s] in i32 over bytes.
Kernel window_kernel(int64_t channels, int64_t rows, int64_t columns, int64_t step = 1) {
  const auto v = [](const char* n) { return var_ref(n); };
  const Expr c = constant_int(channels), r = constant_int(rows), w = constant_int(columns), n = constant_int(20);
  Kernel k;
  k.name = "windows";
  k.tensors = {tensor("X", Role::Input, DType::U8, {c, n, n}), tensor("W", Role::Constant, DType::I8, {n, c, r, w}),
               tensor("Y", Role::Output, DType::I32, {n, n, n})};
  const Expr pixel = read_of(0, DType::U8, {v("c"), v("y") + v("r"), v("x") + v("s") * constant_int(step)},
                             constant_int(9, DType::U8)),
             weight = read_of(1, DType::I8, {v("f"), v("c"), v("r"), v("s")});
  KernelStatement s;
  s.target = 2;
  s.index = {v("f"), v("y"), v("x")};
  s.loops = {{"f", n}, {"y", n}, {"x", n}};
  s.value = reduce(Reducer::Sum, {{"c", c}, {"r", r}, {"s", w}}, nullptr,
                   cast_to(pixel, DType::I32) * cast_to(weight, DType::I32), DType::I32);
  k.body = {s};
  return k;
}

std::optional<Contraction> paired(const Kernel& k) {
  const auto c = find_contraction(k);
  REQUIRE(c.has_value());
  return pair_depth(k, *c);
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

TEST_CASE("windows along a line are words of neighbouring pixels where those of the channels waste more") {
  const auto variable = [](const Kernel& k) {
    const auto c = paired(k);
    return c ? c->paired + (c->windows ? " slides" : " is copied") : "none";
  };
  CHECK(variable(window_kernel(1, 10, 4)) == "s slides");
  CHECK(variable(window_kernel(1, 3, 3)) == "s slides");
  CHECK(variable(window_kernel(3, 3, 3)) == "c is copied");
  CHECK(variable(window_kernel(3, 2, 3)) == "c is copied");
  CHECK(variable(window_kernel(3, 7, 7)) == "s slides");
  CHECK(variable(window_kernel(4, 2, 2)) == "c is copied");
  CHECK(variable(window_kernel(1, 3, 3, 2)) == "none");
}

TEST_CASE("the next pixel in the last word of a window meets a 0") {
  const auto c = paired(window_kernel(1, 3, 3));
  REQUIRE(c.has_value());
  CHECK(constant_value(c->pair_last) == 2);
  CHECK(constant_value(c->depth.back().extent) == 2);
  CHECK(any_node(c->right, [](const Expr& e) { return std::holds_alternative<Select>(e->node); }));
  CHECK_FALSE(any_node(paired(window_kernel(3, 3, 3))->right,
                       [](const Expr& e) { return std::holds_alternative<Select>(e->node); }));
}

}  // namespace pair_depth_test
