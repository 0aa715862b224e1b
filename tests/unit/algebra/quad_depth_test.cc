// Contractions of bytes go over words of four, where a copy of the left side can hold them.
#include "algebra/pair_depth.h"
#include "catch.h"

namespace quad_depth_test {

using namespace tenon;

namespace {

Tensor tensor(const char* name, Role role, DType dtype, std::vector<Expr> dims) {
  auto strides = contiguous_strides(dims);
  return {name, role, dtype, std::move(dims), std::move(strides)};
}

/// Y[m,n] = Σ_k A[m,k]·B[k,n] in i32; A of type `a`, converted to `through` on the way.
Kernel byte_kernel(DType a, DType through, DType b, const Expr& K) {
  const Expr M = size_ref("M"), N = size_ref("N");
  Kernel k;
  k.name = "product";
  k.sizes = {{"M"}, {"N"}};
  k.tensors = {tensor("A", Role::Input, a, {M, K}), tensor("B", Role::Input, b, {K, N}),
               tensor("Y", Role::Output, DType::I32, {M, N})};
  KernelStatement s;
  s.target = 2;
  s.index = {var_ref("m"), var_ref("n")};
  s.loops = {{"m", M}, {"n", N}};
  const Expr left = cast_to(cast_to(read_of(0, a, {var_ref("m"), var_ref("k")}), through), DType::I32),
             right = cast_to(read_of(1, b, {var_ref("k"), var_ref("n")}), DType::I32);
  s.value = reduce(Reducer::Sum, {{"k", K}}, nullptr, left * right, DType::I32);
  k.body = {s};
  return k;
}

std::optional<Contraction> quads(const Kernel& k, LeftBytes bytes) {
  const auto c = find_contraction(k);
  REQUIRE(c.has_value());
  return quad_depth(k, *c, bytes);
}

}  // namespace

TEST_CASE("bytes are copied in words of four") {
  const auto c = quads(byte_kernel(DType::I8, DType::I32, DType::I8, constant_int(8)), LeftBytes::Signed);
  REQUIRE(c.has_value());
  CHECK(c->word_numbers == 4);
  CHECK(c->left_offset == 0);
  CHECK_FALSE(c->pair_last);
  CHECK(constant_value(c->depth[0].extent) == 2);
}

TEST_CASE("bytes of the other sign are moved to what the instruction takes") {
  const auto offset = [](DType d, LeftBytes bytes) {
    return quads(byte_kernel(d, DType::I32, DType::I8, constant_int(8)), bytes)->left_offset;
  };
  CHECK(offset(DType::I8, LeftBytes::Unsigned) == 128);
  CHECK(offset(DType::U8, LeftBytes::Unsigned) == 0);
  CHECK(offset(DType::U8, LeftBytes::Signed) == -128);
}

TEST_CASE("the last word of bytes may have fewer") {
  const auto c = quads(byte_kernel(DType::U8, DType::I32, DType::I8, constant_int(9)), LeftBytes::Unsigned);
  REQUIRE(c.has_value());
  CHECK(constant_value(c->pair_last) == 8);
  CHECK(constant_value(c->depth[0].extent) == 3);
}

TEST_CASE("what is no byte in the product makes no words of four") {
  CHECK_FALSE(quads(byte_kernel(DType::I8, DType::I32, DType::U8, constant_int(8)), LeftBytes::Unsigned));
  CHECK_FALSE(quads(byte_kernel(DType::I16, DType::I32, DType::I8, constant_int(8)), LeftBytes::Unsigned));
  CHECK_FALSE(quads(byte_kernel(DType::I8, DType::U8, DType::I8, constant_int(8)), LeftBytes::Unsigned));
  CHECK_FALSE(quads(byte_kernel(DType::I8, DType::U16, DType::I8, constant_int(8)), LeftBytes::Unsigned));
}

TEST_CASE("a variable whose groups of four are full comes first") {
  const std::vector<LoopVar> depth = {{"c", constant_int(6)}, {"r", constant_int(8)}, {"s", constant_int(3)}};
  CHECK(variable_of_words(depth, 4, [](const LoopVar&) { return true; }) == 1u);
  CHECK(variable_of_words(depth, 4, [](const LoopVar& v) { return v.name != "r"; }) == 0u);
  CHECK_FALSE(variable_of_words(depth, 4, [](const LoopVar&) { return false; }));
}

}  // namespace quad_depth_test
