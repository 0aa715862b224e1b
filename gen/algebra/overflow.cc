// Exact values of known numbers, and ranges of computed data, in 128 bits.
#include "algebra/overflow.h"

#include <algorithm>
#include <optional>

namespace tenon {
namespace {

__extension__ using Wide = __int128;

struct Range {
  Wide lo = 0, hi = 0;
  bool data = false;  // depends on elements of tensors
};

bool is_whole(DType type) { return is_int(type) || type == DType::Bool; }

Range range_of_type(DType type) {
  const int bits = type == DType::Bool ? 1 : is_int(type) ? dtype_row(type).bits : 64;
  const bool below = is_signed_int(type) || !is_whole(type);
  return below ? Range{-(Wide{1} << (bits - 1)), (Wide{1} << (bits - 1)) - 1} : Range{0, (Wide{1} << bits) - 1};
}

bool within(const Range& inner, const Range& outer) { return inner.lo >= outer.lo && inner.hi <= outer.hi; }

Wide floor_quotient(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

/// Known numbers without rounding to their type.
class Exact {
 public:
  bool overflowed = false;

  std::optional<Wide> value(const Expr& e) {
    if (const Constant* c = as_constant(e)) {
      if (!is_whole(e->type)) return std::nullopt;
      return e->type == DType::U64 ? Wide{static_cast<uint64_t>(c->i)} : Wide{c->i};
    }
    if (const auto* s = std::get_if<Select>(&e->node)) return chosen(*s);
    if (const auto* a = std::get_if<Apply>(&e->node)) return applied(e->type, *a);
    each_child(e, [&](const Expr& c) { value(c); });
    return std::nullopt;
  }

 private:
  std::optional<Wide> chosen(const Select& s) {
    const std::optional<Wide> cond = value(s.cond);
    return cond ? value(*cond != 0 ? s.yes : s.no) : std::nullopt;
  }

  std::optional<Wide> applied(DType type, const Apply& a) {
    const std::optional<Wide> x = value(a.args[0]);
    if (x && ((a.op == ScalarOp::And && *x == 0) || (a.op == ScalarOp::Or && *x != 0))) return x;
    const std::optional<Wide> y = a.args.size() > 1 ? value(a.args[1]) : std::nullopt;
    for (size_t i = 2; i < a.args.size(); ++i) value(a.args[i]);
    if (!x || (a.args.size() > 1 && !y) || overflowed) return std::nullopt;
    const std::optional<Wide> r = a.args.size() > 1 ? binary(a.op, *x, *y) : unary(a.op, *x);
    if (r && is_whole(type) && a.op != ScalarOp::Cast && !within({*r, *r}, range_of_type(type))) overflowed = true;
    // A conversion may wrap on purpose.
    return r && (!is_whole(type) || !within({*r, *r}, range_of_type(type))) ? std::nullopt : r;
  }

  static std::optional<Wide> unary(ScalarOp op, Wide x) {
    switch (op) {
      case ScalarOp::Neg: return -x;
      case ScalarOp::Abs: return x < 0 ? -x : x;
      case ScalarOp::Not: return x == 0;
      case ScalarOp::Cast: return x;
      default: return std::nullopt;
    }
  }

  static std::optional<Wide> binary(ScalarOp op, Wide x, Wide y) {
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
    const Range r = inner(e), type = range_of_type(e->type);
    if (within(r, type)) return r;
    wraps = wraps || e->type == DType::I64;
    return {type.lo, type.hi, r.data};
  }

 private:
  // Sizes, variables, attributes and products of them.
  static constexpr Wide kMost = Wide{1} << 40;
  static constexpr Range kMemory{-kMost, kMost};

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
    Range r = range_of_type(e->type);
    r.data = true;
    return r;
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
        return is_whole(a.args[0]->type) && within(x, range_of_type(e->type)) ? x : any ? data(e) : kMemory;
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
