// Comparisons turned so that the variable is alone on the left.
#include "lower/kernel/loop_bounds.h"

#include "lower/kernel/kernel_ranges.h"

namespace tenon {

std::vector<Expr> conjuncts(const Expr& e) {
  const auto* a = std::get_if<Apply>(&e->node);
  if (!a || a->op != ScalarOp::And) return {e};
  std::vector<Expr> out = conjuncts(a->args[0]);
  for (Expr& c : conjuncts(a->args[1])) out.push_back(std::move(c));
  return out;
}

namespace {

/// The variable, or what it is next to data of 32 bits: limits are compared by their values.
bool is_bounded_variable(const Expr& e, const std::string& v) {
  if (e->type == DType::I64) return is_variable(e, v);
  const auto* a = std::get_if<Apply>(&e->node);
  return a && a->op == ScalarOp::Cast && is_variable(a->args[0], v);
}

}  // namespace

std::optional<VariableBound> bound_of(const Expr& condition, const std::string& v) {
  const auto* a = std::get_if<Apply>(&condition->node);
  if (!a || a->args.size() != 2) return std::nullopt;
  const DType type = a->args[0]->type;
  if (type != DType::I64 && type != DType::I32 && type != DType::U32) return std::nullopt;
  ScalarOp op = a->op;
  const bool left = is_bounded_variable(a->args[0], v), right = is_bounded_variable(a->args[1], v);
  if (left == right) return std::nullopt;
  const Expr limit = cast_to(a->args[left ? 1 : 0], DType::I64);
  if (mentions(limit, v)) return std::nullopt;
  if (right)
    op = op == ScalarOp::Lt   ? ScalarOp::Gt
         : op == ScalarOp::Le ? ScalarOp::Ge
         : op == ScalarOp::Gt ? ScalarOp::Lt
         : op == ScalarOp::Ge ? ScalarOp::Le
                              : op;
  switch (op) {
    case ScalarOp::Ge: return VariableBound{true, limit};
    case ScalarOp::Gt: return VariableBound{true, limit + constant_int(1)};
    case ScalarOp::Lt: return VariableBound{false, limit};
    case ScalarOp::Le: return VariableBound{false, limit + constant_int(1)};
    default: return std::nullopt;
  }
}

Expr conjunction(const std::vector<Expr>& conditions) {
  Expr all;
  for (const Expr& c : conditions) all = all ? apply(ScalarOp::And, {all, c}) : c;
  return all;
}

}  // namespace tenon
