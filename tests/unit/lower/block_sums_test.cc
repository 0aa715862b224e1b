// Which sums are added up in blocks: long ones and those of unknown length, each on scalars and in vectors.
#include "unit/lower/hand_made.h"

namespace block_sums_test {

using namespace tenon;
using namespace tenon_test;

namespace {

/// Y[m] = reducer[n](X[m, n])
Kernel rows(Reducer op, const Expr& columns) {
  Kernel k;
  k.name = "rows_f32";
  k.sizes = {{"M"}, {"N"}};
  const Expr m = size_ref("M");
  k.tensors = {tensor("X", Role::Input, {m, columns}), tensor("Y", Role::Output, {m})};
  k.body = {{1,
             {v("m")},
             Update::Assign,
             reduce(op, {{"n", columns}}, nullptr, at(0, {v("m"), v("n")}), DType::F32),
             {{"m", m}},
             ""}};
  return k;
}

int blocks(const Kernel& k, std::string_view level) { return count(to_text(lowered(k, level)), "for n_block ="); }

}  // namespace

TEST_CASE("block_sums: sums of unknown length have blocks, at each level") {
  const Kernel open = rows(Reducer::Sum, size_ref("N"));
  CHECK(blocks(open, "portable") == 1);
  CHECK(blocks(open, "x86-64-v3") == 1);
  CHECK(count(to_text(lowered(open, "portable")), "_lost") > 0);
}

TEST_CASE("block_sums: what rounds nothing, and what is short, has none") {
  CHECK(blocks(rows(Reducer::Max, size_ref("N")), "portable") == 0);
  CHECK(blocks(rows(Reducer::Sum, constant_int(1000)), "portable") == 0);
  CHECK(blocks(rows(Reducer::Sum, constant_int(100000)), "portable") == 1);
}

TEST_CASE("block_sums: a loop around keeps what its turns before have added") {
  Kernel k;
  k.name = "planes_f32";
  k.sizes = {{"M"}, {"N"}};
  const Expr m = size_ref("M"), n = size_ref("N");
  k.tensors = {tensor("X", Role::Input, {m, n}), tensor("Y", Role::Output, {})};
  const Expr sum = reduce(Reducer::Sum, {{"m", m}, {"n", n}}, nullptr, at(0, {v("m"), v("n")}), DType::F32);
  k.body = {{1, {}, Update::Assign, sum, {}, ""}};
  for (const std::string_view level : {"portable", "x86-64-v3"}) {
    const std::string nest = to_text(lowered(k, level));
    INFO(nest);
    CHECK(count(nest, "for n_block =") == 1);
    CHECK(count(nest, "sum_error") > 0);
    CHECK(count(nest, "if eq(n_block, 0)") == 0);
  }
}

TEST_CASE("block_sums: loops inside that are known to be short are part of a block") {
  Kernel k;
  k.name = "planes_f32";
  k.sizes = {{"M"}};
  const Expr m = size_ref("M"), n = constant_int(10);
  k.tensors = {tensor("X", Role::Input, {m, n}), tensor("Y", Role::Output, {})};
  const Expr sum = reduce(Reducer::Sum, {{"m", m}, {"n", n}}, nullptr, at(0, {v("m"), v("n")}), DType::F32);
  k.body = {{1, {}, Update::Assign, sum, {}, ""}};
  const std::string nest = to_text(lowered(k, "portable"));
  INFO(nest);
  CHECK(blocks(k, "portable") == 0);
  CHECK(count(nest, "for m_block =") == 1);
  CHECK(count(nest, "min(add(mul(m_block, 21), 21), M)") == 1);
}

TEST_CASE("block_sums: windows have none") {
  Kernel k;
  k.name = "windows_f32";
  k.sizes = {{"M"}, {"R"}, {"S"}};
  const Expr m = size_ref("M"), r = size_ref("R"), s = size_ref("S"), one = constant_int(1);
  k.tensors = {tensor("X", Role::Input, {m + r - one, m + s - one}), tensor("Y", Role::Output, {m})};
  const Expr sum =
      reduce(Reducer::Sum, {{"r", r}, {"s", s}}, nullptr, at(0, {v("m") + v("r"), v("m") + v("s")}), DType::F32);
  k.body = {{1, {v("m")}, Update::Assign, sum, {{"m", m}}, ""}};
  CHECK(count(to_text(lowered(k, "portable")), "_block =") == 0);
}

}  // namespace block_sums_test
