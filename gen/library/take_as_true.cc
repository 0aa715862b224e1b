// Conditions as equalities.
#include <algorithm>
#include <iterator>

#include "ir/kernel/expr.h"
#include "library/bind_steps.h"

namespace tenon {
namespace {

bool is_comparison(const Expr& e) {
  const auto* a = std::get_if<Apply>(&e->node);
  if (!a || a->args.size() != 2 || !is_int(a->args[0]->type)) return false;
  constexpr ScalarOp all[] = {ScalarOp::Eq, ScalarOp::Ne, ScalarOp::Le, ScalarOp::Lt, ScalarOp::Ge, ScalarOp::Gt};
  return std::find(std::begin(all), std::end(all), a->op) != std::end(all);
}

/// 0 where the condition is as `wanted`, above 0 elsewhere; null where integers do not say it.
Expr breach_of(const Expr& condition, bool wanted) {
  if (const auto v = constant_value(condition)) return constant_int((*v != 0) == wanted ? 0 : 1);
  const auto* a = std::get_if<Apply>(&condition->node);
  if (a && a->op == ScalarOp::Not) return breach_of(a->args[0], !wanted);
  if (a && (a->op == ScalarOp::And || a->op == ScalarOp::Or)) {
    const Expr x = breach_of(a->args[0], wanted), y = breach_of(a->args[1], wanted);
    return x && y ? apply((a->op == ScalarOp::And) == wanted ? ScalarOp::Max : ScalarOp::Min, {x, y}) : nullptr;
  }
  if (!is_comparison(condition)) return nullptr;
  const Expr x = cast_to(a->args[0], DType::I64), y = cast_to(a->args[1], DType::I64), one = constant_int(1),
             none = constant_int(0);
  const auto above = [&](const Expr& e) { return apply(ScalarOp::Max, {e, none}); };
  const Expr apart = apply(ScalarOp::Max, {x - y, y - x});
  switch (a->op) {
    case ScalarOp::Eq: return wanted ? apart : above(one - apart);
    case ScalarOp::Ne: return wanted ? above(one - apart) : apart;
    case ScalarOp::Le: return wanted ? above(x - y) : above(y - x + one);
    case ScalarOp::Gt: return wanted ? above(y - x + one) : above(x - y);
    case ScalarOp::Ge: return wanted ? above(y - x) : above(x - y + one);
    default: return wanted ? above(x - y + one) : above(y - x);
  }
}

}  // namespace

bool take_as_true(const Expr& condition, ShapeBinder& shapes) {
  const auto* two = std::get_if<Apply>(&condition->node);
  const ScalarOp op = two ? two->op : ScalarOp::Cast;
  if (op == ScalarOp::And) return take_as_true(two->args[0], shapes) && take_as_true(two->args[1], shapes);
  if (is_comparison(condition) && op != ScalarOp::Ne) {
    const Expr &a = two->args[0], &b = two->args[1];
    const auto at_most = [&](const Expr& less, const Expr& more) {
      shapes.take_as_equal(apply(ScalarOp::Max, {less, more}), more);
    };
    const auto next = [](const Expr& e) { return e + cast_to(constant_int(1), e->type); };
    if (op == ScalarOp::Eq) shapes.take_as_equal(a, b);
    else if (op == ScalarOp::Le || op == ScalarOp::Ge) at_most(op == ScalarOp::Le ? a : b, op == ScalarOp::Le ? b : a);
    else at_most(next(op == ScalarOp::Lt ? a : b), op == ScalarOp::Lt ? b : a);
    return true;
  }
  const Expr breach = breach_of(condition, true);
  if (breach) shapes.take_as_equal(breach, constant_int(0));
  return breach != nullptr;
}

}  // namespace tenon
