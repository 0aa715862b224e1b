// Exact values of known numbers, and ranges of computed data, in 128 bits.
#include "algebra/overflow.h"

#include <algorithm>
#include <optional>

#include "ir/number/interval.h"

namespace tenon {
namespace {

struct Range : WideInterval {
  Range(WideInteger least = 0, WideInteger most = 0, bool of_data = false) : WideInterval{least, most}, data(of_data) {}

  bool data;  ///< depends on elements of tensors
};

/// Known numbers without rounding to their type.
class Exact {
 public:
  bool overflowed = false;

  std::optional<WideInteger> value(const Expr& e) {
    if (const Constant* c = as_constant(e)) {
      if (!is_integral(e->type)) return std::nullopt;
      return e->type == DType::U64 ? WideInteger{static_cast<uint64_t>(c->i)} : WideInteger{c->i};
    }
    if (const auto* s = std::get_if<Select>(&e->node)) return chosen(*s);
    if (const auto* a = std::get_if<Apply>(&e->node)) return applied(e->type, *a);
    each_child(e, [&](const Expr& c) { value(c); });
    return std::nullopt;
  }

 private:
  std::optional<WideInteger> chosen(const Select& s) {
    const std::optional<WideInteger> cond = value(s.cond);
    return cond ? value(*cond != 0 ? s.yes : s.no) : std::nullopt;
  }

  static bool fits(WideInteger v, DType type) { return within(WideInterval{v, v}, integers_of(type)); }

  std::optional<WideInteger> applied(DType type, const Apply& a) {
    const std::optional<WideInteger> x = value(a.args[0]);
    if (x && ((a.op == ScalarOp::And && *x == 0) || (a.op == ScalarOp::Or && *x != 0))) return x;
    const std::optional<WideInteger> y = a.args.size() > 1 ? value(a.args[1]) : std::nullopt;
    for (size_t i = 2; i < a.args.size(); ++i) value(a.args[i]);
    if (!x || (a.args.size() > 1 && !y) || overflowed) return std::nullopt;
    const std::optional<WideInteger> r = a.args.size() > 1 ? binary(a.op, *x, *y) : unary(a.op, *x);
    if (r && is_integral(type) && a.op != ScalarOp::Cast && !fits(*r, type)) overflowed = true;
    // A conversion may wrap on purpose.
    return r && (!is_integral(type) || !fits(*r, type)) ? std::nullopt : r;
  }

  static std::optional<WideInteger> unary(ScalarOp op, WideInteger x) {
    switch (op) {
      case ScalarOp::Neg: return -x;
      case ScalarOp::Abs: return x < 0 ? -x : x;
      case ScalarOp::Not: return x == 0;
      case ScalarOp::Cast: return x;
      default: return std::nullopt;
    }
  }

  static std::optional<WideInteger> binary(ScalarOp op, WideInteger x, WideInteger y) {
    switch (op) {
      case ScalarOp::Add: return x + y;
      case ScalarOp::Sub: return x - y;
      case ScalarOp::Mul: return x * y;
      case ScalarOp::FloorDiv: return y == 0 ? std::nullopt : std::optional(floor_quotient(x, y));
      case ScalarOp::Mod: return y == 0 ? std::nullopt : std::optional(x - floor_quotient(x, y) * y);
      case ScalarOp::Min: return std::min(x, y);
      case ScalarOp::Max: return std::max(x, y);
      case ScalarOp::And: return x != 0 && y != 0;
      case ScalarOp::Or: return x != 0 || y != 0;
      default: return compare(op, x, y);
    }
  }
};

/// The ranges of the intermediate values of an expression.
class Ranged {
 public:
  bool wraps = false;

  Range of(const Expr& e) {
    if (wraps) return {};
    if (const auto c = constant_value(e)) return {*c, *c};
    const Range r = inner(e);
    const WideInterval type = integers_of(e->type);
    if (within(r, type)) return r;
    wraps = wraps || e->type == DType::I64;
    return {type.lo, type.hi, r.data};
  }

 private:
  // Sizes, variables, attributes and products of them.
  static constexpr WideInteger kMost = WideInteger{1} << 40;
  const Range kMemory{-kMost, kMost};

  Range inner(const Expr& e) {
    if (std::holds_alternative<Read>(e->node)) return data(e);
    if (const auto* s = std::get_if<Select>(&e->node)) {
      of(s->cond);
      const Range a = of(s->yes), b = of(s->no);
      return {std::min(a.lo, b.lo), std::max(a.hi, b.hi), a.data || b.data};
    }
    if (const auto* a = std::get_if<Apply>(&e->node)) return applied(e, *a);
    if (const auto* r = std::get_if<Reduce>(&e->node)) return is_positional(r->op) ? kMemory : data(e);
    return kMemory;
  }

  static Range data(const Expr& e) {
    const WideInterval all = integers_of(e->type);
    return {all.lo, all.hi, true};
  }

  Range applied(const Expr& e, const Apply& a) {
    std::vector<Range> args;
    bool any = false;
    for (const Expr& x : a.args) {
      args.push_back(of(x));
      any = any || args.back().data;
    }
    if (wraps) return {};
    const Range x = args[0], y = args.size() > 1 ? args[1] : Range{};
    switch (a.op) {
      case ScalarOp::Cast:
        return is_integral(a.args[0]->type) && within(x, integers_of(e->type)) ? x : any ? data(e) : kMemory;
      case ScalarOp::Neg: return {-x.hi, -x.lo, any};
      case ScalarOp::Add: return {x.lo + y.lo, x.hi + y.hi, any};
      case ScalarOp::Sub: return {x.lo - y.hi, x.hi - y.lo, any};
      case ScalarOp::Mul: {
        if (!any && !as_constant(a.args[0]) && !as_constant(a.args[1])) return kMemory;
        const auto [lo, hi] = std::minmax({x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi});
        return {lo, hi, any};
      }
      case ScalarOp::Min: return {std::min(x.lo, y.lo), std::min(x.hi, y.hi), any};
      case ScalarOp::Max: return {std::max(x.lo, y.lo), std::max(x.hi, y.hi), any};
      default: return any ? data(e) : kMemory;
    }
  }
};

}  // namespace

bool overflows(const Expr& e) {
  Exact exact;
  exact.value(e);
  return exact.overflowed;
}

bool may_wrap(const Expr& e) {
  Ranged ranges;
  ranges.of(e);
  return ranges.wraps;
}

}  // namespace tenon
