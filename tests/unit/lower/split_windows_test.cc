// Windows over one variable that is divided into rows and columns.
#include "lower/kernel/kernel_passes.h"
#include "unit/lower/hand_made.h"

using namespace tenon;
using namespace tenon_test;

namespace {

Expr row_of(const Expr& k, int64_t columns) { return apply(ScalarOp::FloorDiv, {k, constant_int(columns)}); }
Expr column_of(const Expr& k, int64_t columns) { return apply(ScalarOp::Mod, {k, constant_int(columns)}); }

/// Y[i, j] = reduction[k < extent](W[k] X[row, column]), X padded.
Kernel window(Reducer reducer, int64_t extent, const Expr& row, const Expr& column) {
  const Expr h = size_ref("H"), w = size_ref("W");
  Kernel k;
  k.name = "f";
  k.sizes = {{"H"}, {"W"}};
  k.tensors = {tensor("X", Role::Input, {h, w}), tensor("W", Role::Input, {constant_int(extent)}),
               tensor("Y", Role::Output, {h, w})};
  const Expr pixel = read_of(0, DType::F32, {row, column}, constant_float(0, DType::F32));
  const DType type = is_positional(reducer) ? DType::I64 : DType::F32;
  const Expr sum = reduce(reducer, {{"k", constant_int(extent)}}, nullptr, at(1, {v("k")}) * pixel, type);
  k.body = {{2, {v("i"), v("j")}, Update::Assign, sum, {{"i", h}, {"j", w}}, ""}};
  return k;
}

size_t variables(const Kernel& k) { return std::get<Reduce>(split_windows(k).body[0].value->node).vars.size(); }

}  // namespace

TEST_CASE("split-windows: rows and columns are variables, in the order of the elements") {
  const Kernel k = window(Reducer::Sum, 6, v("i") + row_of(v("k"), 3), v("j") + column_of(v("k"), 3));
  const Expr after = split_windows(k).body[0].value;
  const auto& r = std::get<Reduce>(after->node);
  REQUIRE(r.vars.size() == 2);
  const Expr row = var_ref(r.vars[0].name), column = var_ref(r.vars[1].name);
  CHECK(constant_value(r.vars[0].extent) == 2);
  CHECK(constant_value(r.vars[1].extent) == 3);
  const Expr pixel = read_of(0, DType::F32, {v("i") + row, v("j") + column}, constant_float(0, DType::F32));
  CHECK(same(r.value, at(1, {row * constant_int(3) + column}) * pixel));
}

TEST_CASE("split-windows: what is no window of rows and columns stays") {
  const Expr k = v("k"), row = v("i") + row_of(k, 3), column = v("j") + column_of(k, 3);
  CHECK(variables(window(Reducer::Max, 9, row, column)) == 2);
  CHECK(variables(window(Reducer::ArgMax, 9, row, column)) == 1);
  CHECK(variables(window(Reducer::Sum, 8, row, column)) == 1);
  CHECK(variables(window(Reducer::Sum, 9, row_of(k, 3), column)) == 1);
  CHECK(variables(window(Reducer::Sum, 36, row, v("j") + column_of(k, 4))) == 1);
}
