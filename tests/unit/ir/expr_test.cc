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

}  // namespace expr_test
