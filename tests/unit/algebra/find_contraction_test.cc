// Contractions are recognised, and their axes fall where the output's unit stride wants them.
#include "algebra/contraction.h"
#include "catch.h"

namespace find_contraction_test {

using namespace tenon;

namespace {

Tensor tensor(const char* name, Role role, std::vector<Expr> dims) {
  auto strides = contiguous_strides(dims);
  return {name, role, DType::F32, std::move(dims), std::move(strides)};
}

Kernel gemm_kernel(const Expr& factor) {
  const Expr M = size_ref("M"), N = size_ref("N"), K = size_ref("K");
  Kernel k;
  k.name = "gemm_f32";
  k.sizes = {{"M"}, {"N"}, {"K"}};
  k.tensors = {tensor("A", Role::Input, {M, K}), tensor("B", Role::Input, {K, N}), tensor("Y", Role::Output, {M, N})};
  KernelStatement s;
  s.target = 2;
  s.index = {var_ref("m"), var_ref("n")};
  s.loops = {{"m", M}, {"n", N}};
  s.value = reduce(Reducer::Sum, {{"k", K}}, nullptr, read_of(0, DType::F32, {var_ref("m"), var_ref("k")}) * factor,
                   DType::F32);
  k.body = {s};
  return k;
}

Kernel conv_kernel(const Expr& M = size_ref("M"), const Expr& W = size_ref("W")) {
  const Expr C = size_ref("C"), H = size_ref("H"), R = size_ref("R"), S = size_ref("S");
  Kernel k;
  k.name = "conv_f32";
  for (const char* s : {"C", "M", "H", "W", "R", "S"}) k.sizes.push_back({s});
  k.tensors = {tensor("X", Role::Input, {C, H, W}), tensor("F", Role::Input, {M, C, R, S}),
               tensor("Y", Role::Output, {M, H, W})};
  const auto v = [](const char* n) { return var_ref(n); };
  KernelStatement s;
  s.target = 2;
  s.index = {v("m"), v("y"), v("x")};
  s.loops = {{"m", M}, {"y", H}, {"x", W}};
  const Expr x = read_of(0, DType::F32, {v("c"), v("y") + v("r") - constant_int(1), v("x") + v("s") - constant_int(1)},
                         constant_float(0, DType::F32));
  s.value = reduce(Reducer::Sum, {{"c", C}, {"r", R}, {"s", S}}, nullptr,
                   x * read_of(1, DType::F32, {v("m"), v("c"), v("r"), v("s")}), DType::F32);
  k.body = {s};
  return k;
}

}  // namespace

TEST_CASE("a matrix product has its right operand along the columns") {
  const Kernel k = gemm_kernel(read_of(1, DType::F32, {var_ref("k"), var_ref("n")}));
  const auto c = find_contraction(k);
  REQUIRE(c.has_value());
  CHECK_FALSE(c->transposed);
  REQUIRE(c->rows.size() == 1);
  CHECK(c->rows[0].name == "m");
  REQUIRE(c->columns.size() == 1);
  CHECK(c->columns[0].name == "n");
}

TEST_CASE("a sum without a product of two sides is not a contraction") {
  CHECK_FALSE(find_contraction(gemm_kernel(constant_float(2, DType::F32))).has_value());
}

TEST_CASE("few filters slide one after the other where lines are long") {
  const auto slides = [](int64_t filters, int64_t width) {
    const Kernel k = conv_kernel(constant_int(filters), constant_int(width));
    const auto c = find_contraction(k);
    REQUIRE(c.has_value());
    return c->is_stencil();
  };
  CHECK(slides(4, 56));
  CHECK_FALSE(slides(5, 56));
  CHECK_FALSE(slides(4, 8));
  CHECK_FALSE(find_contraction(conv_kernel())->is_stencil());  // of any number of filters
  Kernel scalars = conv_kernel(constant_int(4), constant_int(56));
  scalars.vectors = false;
  CHECK_FALSE(find_contraction(scalars)->is_stencil());
}

TEST_CASE("a padded convolution is transposed: its pixels are one flat row index") {
  const Kernel k = conv_kernel();
  const auto c = find_contraction(k);
  REQUIRE(c.has_value());
  CHECK(c->transposed);
  REQUIRE(c->rows.size() == 2);
  CHECK(c->rows[1].name == "x");
  REQUIRE(c->columns.size() == 1);
  CHECK(c->columns[0].name == "m");
  CHECK(c->depth.size() == 3);
}

}  // namespace find_contraction_test
