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
  CHECK(blocks(k, "portable") == 0);
  const std::string nest = to_text(lowered(k, "x86-64-v3"));
  INFO(nest);
  CHECK(count(nest, "for n_block =") == 1);
  CHECK(count(nest, "sum_error") > 0);
  CHECK(count(nest, "if eq(n_block, 0)") == 0);
}

}  // namespace block_sums_test
