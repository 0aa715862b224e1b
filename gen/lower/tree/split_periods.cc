// Loops over an index that starts again after each period, as a loop over the periods around one over each of them.

#include "algebra/simplify.h"
#include "lower/tree/split_border.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Shorter periods than this, where they are known, are not worth a loop.
constexpr int64_t kShortPeriod = 8;

/// Elements that are written once and do not depend on each other; `lines`: in loops inside.
bool only_defines(const Tree& body, bool lines) {
  return all_of(body, [lines](const TreeNode& n) {
    const auto* d = std::get_if<TreeDefine>(&n.node);
    const auto* l = std::get_if<TreeLoop>(&n.node);
    if (l) return lines && !l->needed && !l->ordered && only_defines(l->body, true);
    return d && d->update == Update::Assign && !d->where && !d->in_place;
  });
}

/// An index divided by periods, of which the shortest divides all others; it grows by one per element.
struct DividedIndex {
  Expr index, rest, period;
};

/// The shorter of two periods; null where it does not divide the other.
Expr common_period(const Expr& a, const Expr& b) {
  if (same(a, b)) return a;
  const auto x = constant_value(a), y = constant_value(b);
  if (!x || !y || *x <= 0 || *y <= 0 || (*x % *y != 0 && *y % *x != 0)) return nullptr;
  return *x < *y ? a : b;
}

/// The index depending on the variable that the body divides; nothing if there are several, or periods that are not
/// multiples of each other.
std::optional<DividedIndex> only_division(const Tree& body, const std::string& var) {
  std::optional<DividedIndex> found;
  bool one = true;
  each_value(body, [&](const Expr& e) {
    walk(e, [&](const Expr& x) {
      const auto* a = std::get_if<Apply>(&x->node);
      const bool divides = a && (a->op == ScalarOp::Mod || a->op == ScalarOp::FloorDiv) && x->type == DType::I64;
      if (!divides || !mentions(a->args[0], var)) return !is_leaf(x);
      const auto index = affine_in(a->args[0], var);
      if (!index || !is_one(simplify(index->coefficient))) return true;
      const Expr period = found ? common_period(found->period, a->args[1]) : a->args[1];
      one = one && period && !mentions(a->args[1], var) && (!found || same(found->index, a->args[0]));
      if (one) found = DividedIndex{a->args[0], index->rest, period};
      return false;
    });
  });
  return one ? found : std::nullopt;
}

/// The expression with the remainder and the quotient of the shortest period in place of the divisions.
Expr divided(const Expr& e, const DividedIndex& d, const Expr& remainder, const Expr& quotient) {
  const auto* a = std::get_if<Apply>(&e->node);
  const bool divides = a && (a->op == ScalarOp::Mod || a->op == ScalarOp::FloorDiv) && same(a->args[0], d.index);
  if (!divides) return map_children(e, [&](const Expr& c) { return divided(c, d, remainder, quotient); });
  const bool shortest = same(a->args[1], d.period);
  if (shortest) return a->op == ScalarOp::Mod ? remainder : quotient;
  const Expr times = constant_int(*constant_value(a->args[1]) / *constant_value(d.period));
  return a->op == ScalarOp::Mod ? apply(ScalarOp::Mod, {quotient, times}) * d.period + remainder
                                : apply(ScalarOp::FloorDiv, {quotient, times});
}

}  // namespace

std::optional<Periods> find_periods(const TreeLoop& loop, const Ranges& ranges, bool lines) {
  const auto d = only_defines(loop.body, lines) ? only_division(loop.body, loop.var.name) : std::nullopt;
  if (!d || !proves_not_negative(linear_form(d->period), ranges)) return std::nullopt;
  if (const auto known = constant_value(d->period); known && *known < kShortPeriod) return std::nullopt;
  // The bounds are computed where the loop has no iterations, too: a period of 0 must not divide.
  const Expr one = constant_int(1), zero = constant_int(0), &n = loop.var.extent;
  const Expr length = simplify(apply(ScalarOp::Max, {d->period, one}), ranges);
  const Expr first = simplify(apply(ScalarOp::Mod, {d->rest, length}), ranges);
  Periods out;
  const size_t dot = loop.var.name.find('.');
  const std::string name = loop.var.name.substr(0, dot) + "_period" + loop.var.name.substr(dot);
  // Period b has the elements whose index is from b*length on, counted from the start of the first one. None of the
  // periods begins behind the last element, so that each ends where it begins or later.
  const Expr number = var_ref(name), start = number * length - first;
  const Expr remainder = simplify(var_ref(loop.var.name) - start, ranges);
  const Expr quotient = simplify(number + apply(ScalarOp::FloorDiv, {d->rest, length}), ranges);
  SharedExprs shared;  // an index that is divided once has one name
  const auto simple = [&](const Expr& e) { return shared.share(simplify(e, ranges)); };
  out.period = {name, simple(apply(ScalarOp::FloorDiv, {n + first + length - one, length}))};
  out.begin = simple(apply(ScalarOp::Max, {start, zero}));
  out.end = simple(apply(ScalarOp::Min, {start + length, n}));
  out.body = changed_tree(loop.body, ranges, [&](const Expr& e, const Ranges&) {
    return shared.share(divided(e, *d, remainder, quotient));
  });
  return out;
}

}  // namespace tenon
