// Comparisons turned so that the variable is alone on the left.
#include "lower/kernel/loop_bounds.h"

namespace tenon {

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

namespace {

/// The predicate as form <= 0 over integers; nothing when it is not a comparison.
std::optional<LinearForm> not_positive(const Expr& where) {
  const auto* a = std::get_if<Apply>(&where->node);
  if (!a || a->args.size() != 2 || a->args[0]->type != DType::I64) return std::nullopt;
  const LinearForm x = linear_form(a->args[0]), y = linear_form(a->args[1]);
  LinearForm f = a->op == ScalarOp::Le || a->op == ScalarOp::Lt ? x - y : y - x;
  if (a->op == ScalarOp::Lt || a->op == ScalarOp::Gt) f.constant += 1;
  const bool known = a->op == ScalarOp::Le || a->op == ScalarOp::Lt || a->op == ScalarOp::Ge || a->op == ScalarOp::Gt;
  return known ? std::optional(f) : std::nullopt;
}

int64_t coefficient_of(const LinearForm& f, const std::string& var) {
  for (const auto& [atom, factor] : f.terms)
    if (const auto* v = std::get_if<VarRef>(&atom->node); v && v->name == var) return factor;
  return 0;
}

}  // namespace

std::optional<VariableBound> linear_bound(const Expr& where, const std::string& var) {
  auto form = not_positive(where);
  const int64_t factor = form ? coefficient_of(*form, var) : 0;
  if (factor != 1 && factor != -1) return std::nullopt;
  // factor·var + rest <= 0
  std::erase_if(form->terms, [&](const auto& term) { return is_variable(term.first, var); });
  const Expr rest = to_expr(*form);
  if (mentions(rest, var)) return std::nullopt;
  if (factor < 0) return VariableBound{true, rest};
  return VariableBound{false, to_expr(linear_form(constant_int(1) - rest))};
}

std::optional<Scan> recognise_scan(const KernelStatement& s, const Ranges&) {
  const auto* r = std::get_if<Reduce>(&s.value->node);
  if (!r || !r->where || r->vars.size() != 1 || s.update != Update::Assign || is_in_recurrence(s)) return std::nullopt;
  if (r->op == Reducer::Fold) return std::nullopt;  // it has a start of its own for each element
  const auto f = not_positive(r->where);
  if (!f || f->terms.size() != 2 || (f->constant != 0 && f->constant != 1)) return std::nullopt;
  for (size_t i = 0; i < s.loops.size(); ++i) {
    const int64_t of_loop = coefficient_of(*f, s.loops[i].name), of_reduced = coefficient_of(*f, r->vars[0].name);
    if (of_loop * of_reduced != -1 || mentions(r->value, s.loops[i].name)) continue;
    if (!same(s.loops[i].extent, r->vars[0].extent)) continue;
    return Scan{i, of_reduced < 0, f->constant == 1};
  }
  return std::nullopt;
}

}  // namespace tenon
