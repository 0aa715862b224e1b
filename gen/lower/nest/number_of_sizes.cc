// Sizes, attributes, and what is computed from them.
#include "lower/nest/rename_nest.h"
#include "support/check.h"

namespace tenon {

Operand size_number(const Expr& e) {
  if (const auto* c = std::get_if<Constant>(&e->node)) return v_constant(*c, {e->type, 1, 0});
  if (const auto* s = std::get_if<SizeRef>(&e->node)) return v_size(s->name);
  if (const auto* a = std::get_if<AttrRef>(&e->node)) return v_attr(a->name, e->type, a->element);
  if (const auto* s = std::get_if<Select>(&e->node))
    return v_select(size_number(s->cond), size_number(s->yes), size_number(s->no));
  const auto* a = std::get_if<Apply>(&e->node);
  TENON_CHECK(a, "no number: {}", to_text(e));
  Few<Operand> args;
  for (const Expr& x : a->args) args.push_back(size_number(x));
  return v_apply_as(a->op, std::move(args), {e->type, 1, 0});
}

}  // namespace tenon
