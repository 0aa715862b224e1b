// Negates the condition of a check down to its comparisons and sorts the parts by the loops that they need.
#include "lower/check_guards.h"

#include <algorithm>

namespace tenon {
namespace {

/// The comparison that holds where this one does not; nothing for floats, where NaN fails both.
std::optional<ScalarOp> opposite(const Apply& a) {
  if (a.args.size() != 2 || is_float(a.args[0]->type) || is_complex(a.args[0]->type)) return std::nullopt;
  switch (a.op) {
    case ScalarOp::Lt: return ScalarOp::Ge;
    case ScalarOp::Le: return ScalarOp::Gt;
    case ScalarOp::Gt: return ScalarOp::Le;
    case ScalarOp::Ge: return ScalarOp::Lt;
    case ScalarOp::Eq: return ScalarOp::Ne;
    case ScalarOp::Ne: return ScalarOp::Eq;
    default: return std::nullopt;
  }
}

Expr negated(const Expr& e) {
  const auto* a = std::get_if<Apply>(&e->node);
  if (!a) return apply(ScalarOp::Not, {e});
  if (a->op == ScalarOp::Not) return a->args[0];
  if (a->op == ScalarOp::And || a->op == ScalarOp::Or)
    return apply(a->op == ScalarOp::And ? ScalarOp::Or : ScalarOp::And, {negated(a->args[0]), negated(a->args[1])});
  if (const auto op = opposite(*a)) return apply(*op, a->args);
  return apply(ScalarOp::Not, {e});
}

void add_parts(const Expr& e, std::vector<Expr>& out) {
  const auto* a = std::get_if<Apply>(&e->node);
  if (!a || a->op != ScalarOp::And) return out.push_back(e);
  for (const Expr& part : a->args) add_parts(part, out);
}

/// Whether it may be asked before the parts in front of it: nothing in it can fail.
bool may_move(const Expr& e) {
  bool safe = true;
  walk(e, [&](const Expr& x) {
    const auto* a = std::get_if<Apply>(&x->node);
    const bool divides = a && is_int(x->type) && (a->op == ScalarOp::FloorDiv || a->op == ScalarOp::Mod || a->op == ScalarOp::Div);
    safe = safe && !divides && !std::holds_alternative<Read>(x->node) && !std::holds_alternative<Reduce>(x->node);
    return safe;
  });
  return safe;
}

/// How many of the loops it stands within at least.
size_t depth_of(const Expr& e, const std::vector<LoopVar>& loops) {
  for (size_t k = loops.size(); k > 0; --k)
    if (mentions(e, loops[k - 1].name)) return k;
  return 0;
}

}  // namespace

std::vector<Expr> failing_parts(const Check& check) {
  std::vector<Expr> parts, out(check.loops.size() + 1);
  add_parts(negated(check.holds), parts);
  for (const Expr& part : parts) {
    Expr& at = out[may_move(part) ? depth_of(part, check.loops) : check.loops.size()];
    at = at ? apply(ScalarOp::And, {at, part}) : part;
  }
  return out;
}

}  // namespace tenon
