// Values of choices: those that the attributes and sizes of a call choose or leave out, and those that are stored.
#include "algebra/simplify.h"
#include "differentiate/gradient_steps.h"

namespace tenon {
namespace {

bool is_zero_number(const Expr& e) {
  const Constant* c = as_constant(e);
  return c && holds_reals(e->type) && c->f == 0;
}

bool is_of_call(const Expr& condition) {
  return !has_node<Read>(condition) && !has_node<VarRef>(condition) && !has_node<Reduce>(condition);
}

}  // namespace

std::optional<ChosenByCall> chosen_by_call(const Expr& value) {
  const auto* s = std::get_if<Select>(&value->node);
  if (!s || !is_of_call(s->cond)) return std::nullopt;
  const bool no = is_zero_number(s->no);
  if (no == is_zero_number(s->yes)) return std::nullopt;
  ChosenByCall out{no ? s->cond : apply(ScalarOp::Not, {s->cond}), no ? s->yes : s->no};
  if (const auto more = chosen_by_call(out.value)) out = {both(out.where, more->where), more->value};
  return out;
}

bool is_cheap(const Expr& value) {
  int nodes = 0;
  return !any_node(value, [&](const Expr& n) {
    const auto* a = std::get_if<Apply>(&n->node);
    return std::holds_alternative<Reduce>(n->node) || (a && scalar_op_row(a->op).has('M')) || ++nodes >= 24;
  });
}

Expr where_inside(const Contribution& c, const std::vector<Expr>& dims, const Ranges& ranges) {
  Expr where = c.where;
  for (size_t d = 0; c.padded && d < dims.size(); ++d) {
    if (!proves_le(constant_int(0), c.index[d], ranges))
      where = both(where, apply(ScalarOp::Ge, {c.index[d], constant_int(0)}));
    if (!proves_lt(c.index[d], dims[d], ranges)) where = both(where, apply(ScalarOp::Lt, {c.index[d], dims[d]}));
  }
  return where;
}

Contribution with_condition(Contribution c) {
  if (const auto chosen = chosen_by_call(c.value)) {
    c.where = both(c.where, chosen->where);
    c.value = chosen->value;
  }
  return c;
}

Expr with_stored(const Expr& e, const Expr& value, const Expr& element) {
  const auto* made = std::get_if<Select>(&value->node);
  const auto* function = std::get_if<Apply>(&value->node);
  if (function && scalar_op_row(function->op).has('M')) return with_expr(e, value, element);
  if (!made) return e;
  const Expr r = map_children(e, [&](const Expr& c) { return with_stored(c, value, element); });
  const auto* s = std::get_if<Select>(&r->node);
  if (!s || !same(s->cond, made->cond)) return r;
  return select(s->cond, with_stored(s->yes, made->yes, element), with_stored(s->no, made->no, element));
}

}  // namespace tenon
