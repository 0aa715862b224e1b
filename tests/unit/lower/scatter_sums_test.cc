// Sums over what equals a variable: updates where the order of additions does not matter.
#include "lower/kernel/kernel_passes.h"
#include "unit/lower/hand_made.h"

using namespace tenon;
using namespace tenon_test;

namespace {

/// Y[i] = reduction[t : X[t] == i](X[t]) over `extent` places.
Kernel counted(Reducer reducer, DType type, const Expr& extent) {
  const Expr n = constant_int(1000);
  Kernel k;
  k.name = "f";
  k.tensors = {tensor("X", Role::Input, {n}), tensor("Y", Role::Output, {extent})};
  k.tensors[0].dtype = k.tensors[1].dtype = type;
  const Expr x = read_of(0, type, {v("t")}), place = type == DType::I64 ? x : cast_to(x, DType::I64);
  const Expr equal = apply(ScalarOp::Eq, {place, v("i")});
  k.body = {{1, {v("i")}, Update::Assign, reduce(reducer, {{"t", n}}, equal, x, type), {{"i", extent}}, ""}};
  return k;
}

}  // namespace

TEST_CASE("scatter-sums: integers and extremes go to the element that they name") {
  const Expr many = constant_int(200);
  for (const auto& [reducer, type] : {std::pair(Reducer::Sum, DType::I64), std::pair(Reducer::Max, DType::F32)}) {
    const Kernel after = scatter_sums(counted(reducer, type, many));
    REQUIRE(after.body.size() == 2);
    CHECK(same(after.body[0].value, identity_of(reducer, type)));
    CHECK(after.body[1].update == (reducer == Reducer::Sum ? Update::Add : Update::Max));
    REQUIRE(after.body[1].loops.size() == 1);
    CHECK(after.body[1].loops[0].name == "t");
  }
}

TEST_CASE("scatter-sums: sums of floats keep their blocks, few places their vectors") {
  CHECK(scatter_sums(counted(Reducer::Sum, DType::F32, constant_int(200))).body.size() == 1);
  CHECK(scatter_sums(counted(Reducer::Sum, DType::I64, constant_int(8))).body.size() == 1);
}
