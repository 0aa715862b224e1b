// Costs of kernels as formulas over their sizes.
#include "ir/kernel/kernel_cost.h"

#include "catch.h"

namespace tenon::kernel_cost_test {
namespace {

Expr at(int tensor, const char* row, const char* column) {
  return read_of(tensor, DType::F32, {var_ref(row), var_ref(column)});
}

/// Y[m, n] = sum[k](A[m, k]*B[k, n]); `columns` is the extent of n.
Kernel product_kernel(const Expr& columns) {
  Kernel k;
  const Expr rows = size_ref("M"), depth = size_ref("K");
  const auto tensor = [](const char* name, Role role, const Expr& a, const Expr& b) {
    return Tensor{name, role, DType::F32, {a, b}, contiguous_strides({a, b})};
  };
  k.tensors = {tensor("A", Role::Input, rows, depth), tensor("B", Role::Input, depth, columns),
               tensor("Y", Role::Output, rows, columns)};
  const Expr sum = reduce(Reducer::Sum, {{"k", depth}}, nullptr,
                          apply(ScalarOp::Mul, {at(0, "m", "k"), at(1, "k", "n")}), DType::F32);
  KernelStatement s;
  s.target = 2;
  s.index = {var_ref("m"), var_ref("n")};
  s.value = sum;
  s.loops = {{"m", rows}, {"n", columns}};
  k.body = {s};
  return k;
}

}  // namespace

TEST_CASE("a cost has the names of the sizes") {
  const CostFormula cost = cost_formula(product_kernel(size_ref("N")));
  CHECK(cost.operations == "2*K*M*N");
  CHECK(cost.bytes == "4*K*M + 4*K*N + 4*M*N");
}

TEST_CASE("constant extents are multiplied into the cost") {
  const CostFormula cost = cost_formula(product_kernel(constant_int(10)));
  CHECK(cost.operations == "20*K*M");
  CHECK(cost.bytes == "4*K*M + 40*K + 40*M");
}

TEST_CASE("a choice by position costs nothing, one by values does") {
  Kernel k = product_kernel(constant_int(10));
  const Expr first = at(0, "m", "n"), none = constant_float(0, DType::F32);
  const auto operations = [&](const Expr& condition) {
    k.body[0].value = select(condition, first, none);
    return cost_formula(k).operations;
  };
  CHECK(operations(apply(ScalarOp::Lt, {var_ref("m"), constant_int(3)})) == "0");
  CHECK(operations(apply(ScalarOp::Lt, {first, none})) == "20*M");
}

}  // namespace tenon::kernel_cost_test
