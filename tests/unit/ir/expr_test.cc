// Expressions and what rebuilds them.
#include "ir/kernel/expr.h"

#include "catch.h"

namespace expr_test {

using namespace tenon;

TEST_CASE("what is one node is one node with other variables, too") {
  const Expr i = var_ref("i"), j = var_ref("j"), place = cast_to(read_of(0, DType::F32, {i}), DType::I64);
  const Expr e = select(apply(ScalarOp::Lt, {place, constant_int(0)}), place + size_ref("N"), place);
  const Expr renamed = substitute(e, {{"i", j}});
  const auto& s = std::get<Select>(renamed->node);
  CHECK(to_text(s.no) == to_text(cast_to(read_of(0, DType::F32, {j}), DType::I64)));
  CHECK(std::get<Apply>(s.cond->node).args[0] == s.no);
  CHECK(std::get<Apply>(s.yes->node).args[0] == s.no);
  CHECK(substitute(e, {{"k", j}}) == e);
}

TEST_CASE("a variable that is put into a reduction is not taken for the reduction's own") {
  const Expr i = var_ref("i"), k = var_ref("k"), n = size_ref("N");
  const Expr row = reduce(Reducer::Max, {{"k", n}}, nullptr, read_of(0, DType::F32, {i, k}), DType::F32);
  CHECK(to_text(substitute(row, {{"i", k}})) == "max[k_inner < N](t0[k, k_inner])");
  CHECK(to_text(substitute(row, {{"i", k + constant_int(1)}})) == "max[k_inner < N](t0[(k + 1), k_inner])");
  CHECK(to_text(substitute(row, {{"i", var_ref("j")}})) == "max[k < N](t0[j, k])");
}

}  // namespace expr_test
