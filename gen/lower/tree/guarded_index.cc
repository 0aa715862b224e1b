// Recognising guards by the form that they have after simplification.
#include <utility>

#include "lower/tree/split_border.h"

namespace tenon {
namespace {

const Apply* applies(const Expr& e, ScalarOp op) {
  const auto* a = std::get_if<Apply>(&e->node);
  return a && a->op == op ? a : nullptr;
}

bool is_sum(const Expr& a, const Expr& b, int64_t of = 0) {
  const LinearForm f = linear_form(a) - linear_form(b);
  return f.terms.empty() && f.constant == of;
}

/// m where it is below d, else counted from the other end: mirror and reflect, with m = index % period.
std::optional<GuardedIndex> turned_back(const Select& s, const Ranges& ranges) {
  const Apply* below = applies(s.cond, ScalarOp::Lt);
  const Apply* mod = applies(s.yes, ScalarOp::Mod);
  if (!below || !mod || !same(below->args[0], s.yes)) return std::nullopt;
  const Expr &d = below->args[1], &period = mod->args[1];
  const Apply* most = applies(period, ScalarOp::Max);
  const bool reflects = most && constant_value(most->args[1]) == 1 && is_sum(most->args[0], d + d, -2);
  if (!reflects && !proves_le(d, period, ranges)) return std::nullopt;
  return GuardedIndex{mod->args[0], constant_int(0), d - constant_int(1), true};
}

/// Counted from the end where it is negative.
std::optional<GuardedIndex> from_the_end(const Select& s) {
  const Apply* negative = applies(s.cond, ScalarOp::Lt);
  if (!negative || constant_value(negative->args[1]) != 0 || !same(negative->args[0], s.no)) return std::nullopt;
  return GuardedIndex{s.no, constant_int(0), nullptr};
}

/// min(max(x, low), high), or one of both.
std::optional<GuardedIndex> kept_between(const Expr& e) {
  GuardedIndex out{e, nullptr, nullptr};
  while (const auto* a = std::get_if<Apply>(&out.index->node)) {
    const bool from = a->op == ScalarOp::Max;
    Expr& end = from ? out.low : out.high;
    if ((!from && a->op != ScalarOp::Min) || end) break;
    // The limit is the argument that is not a sum of variables: a number or a size.
    const bool first = constant_value(a->args[0]) || std::holds_alternative<SizeRef>(a->args[0]->node);
    end = a->args[first ? 0 : 1];
    out.index = Expr(a->args[first ? 1 : 0]);
  }
  return out.low || out.high ? std::optional(out) : std::nullopt;
}

}  // namespace

std::optional<GuardedIndex> guarded_index(const Expr& e, const Ranges& ranges) {
  if (e->type != DType::I64) return std::nullopt;
  if (const auto* s = std::get_if<Select>(&e->node)) {
    if (auto turned = turned_back(*s, ranges)) return turned;
    return from_the_end(*s);
  }
  if (const Apply* mod = applies(e, ScalarOp::Mod)) {
    const auto by = constant_value(mod->args[1]);
    const bool shifts = by && *by > 0 && (*by & (*by - 1)) == 0;
    return GuardedIndex{mod->args[0], constant_int(0), mod->args[1] - constant_int(1), !shifts, true};
  }
  return kept_between(e);
}

}  // namespace tenon
