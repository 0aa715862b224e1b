// Negates the condition of a check down to its comparisons, sorts the parts by the loops that they need, and puts
// checks together.
#include "lower/kernel/check_guards.h"

#include <map>
#include <optional>

#include "support/ranges.h"

namespace tenon {
namespace {

/// The comparison that holds where this one does not; nothing for floats, where NaN fails both.
std::optional<ScalarOp> opposite(const Apply& a) {
  return is_float(a.args[0]->type) || is_complex(a.args[0]->type) ? std::nullopt : opposite(a.op);
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

/// Whether it may be evaluated before the parts in front of it, because it cannot fail.
bool may_move(const Expr& e) {
  return !has_node<Read>(e) && !has_node<Reduce>(e) && !any_node(e, [](const Expr& x) {
    const auto* a = std::get_if<Apply>(&x->node);
    return a && is_int(x->type) && (a->op == ScalarOp::FloorDiv || a->op == ScalarOp::Mod || a->op == ScalarOp::Div);
  });
}

/// The minimum number of the loops that contain it.
size_t depth_of(const Expr& e, const std::vector<LoopVar>& loops) {
  for (size_t k = loops.size(); k > 0; --k)
    if (mentions(e, loops[k - 1].name)) return k;
  return 0;
}

/// The check with its variables replaced by those of the group's loops; nothing where the loops differ.
std::optional<Check> over_loops_of(const CheckGroup& group, const Check& c) {
  if (c.loops.size() != group.loops.size()) return std::nullopt;
  std::map<std::string, Expr> names;
  for (size_t k = 0; k < c.loops.size(); ++k) {
    if (!same(substitute(c.loops[k].extent, names), group.loops[k].extent)) return std::nullopt;
    names.emplace(c.loops[k].name, var_ref(group.loops[k].name));
  }
  return Check{group.loops, substitute(c.holds, names), c.status, c.what};
}

CheckGroup group_of(const Check& c) {
  std::vector<Expr> parts = failing_parts(c);
  const auto around = static_cast<std::ptrdiff_t>(parts.size() - 1);
  CheckGroup group{{c.loops.begin(), c.loops.begin() + around}, {}, {parts.back()}, c.status, {}};
  parts.pop_back();
  group.around = std::move(parts);
  if (!c.what.empty()) group.what.push_back(c.what);
  return group;
}

/// Whether the check joins the group. Only conditions of the innermost loop do.
bool joins(CheckGroup& group, const Check& c) {
  const auto nothing = [](const Expr& e) { return e == nullptr; };
  if (c.status != group.status || !all_of(group.around, nothing)) return false;
  const std::optional<Check> mine = over_loops_of(group, c);
  if (!mine) return false;
  const CheckGroup alone = group_of(*mine);
  if (alone.loops.size() != group.loops.size() || !all_of(alone.around, nothing)) return false;
  group.fails.push_back(alone.fails[0]);
  if (!c.what.empty() && !contains(group.what, c.what)) group.what.push_back(c.what);
  return true;
}

}  // namespace

std::vector<Expr> failing_parts(const Check& check) {
  std::vector<Expr> out(check.loops.size() + 1);
  for (const Expr& part : conjuncts(negated(check.holds))) {
    Expr& at = out[may_move(part) ? depth_of(part, check.loops) : check.loops.size()];
    at = both(at, part);
  }
  while (out.size() > 1 && !out.back()) out.pop_back();
  for (size_t k = out.size() - 1; k < check.loops.size(); ++k)
    out.back() = both(out.back(), apply(ScalarOp::Gt, {check.loops[k].extent, constant_int(0)}));
  return out;
}

std::vector<CheckGroup> group_checks(const std::vector<Check>& checks) {
  std::vector<CheckGroup> groups;
  for (const Check& c : checks)
    if (constant_value(c.holds) != 1 && (groups.empty() || !joins(groups.back(), c))) groups.push_back(group_of(c));
  return groups;
}

}  // namespace tenon
