// Interval arithmetic in 128 bits.
#include "ir/number/interval.h"

#include "support/ranges.h"

namespace tenon {
namespace {

using Wide = WideInteger;

int64_t clamped(Wide v) { return static_cast<int64_t>(std::clamp<Wide>(v, -kFarInteger, kFarInteger)); }

/// The interval that the results at the four corners span.
template <class F>
Interval spanned(Interval a, Interval b, F f) {
  const auto [lo, hi] = std::minmax({f(a.lo, b.lo), f(a.lo, b.hi), f(a.hi, b.lo), f(a.hi, b.hi)});
  return {clamped(lo), clamped(hi)};
}

}  // namespace

Interval hull(Interval a, Interval b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }

bool within(Interval inner, Interval outer) { return inner.lo >= outer.lo && inner.hi <= outer.hi; }

Interval combined(ScalarOp op, Interval a, Interval b) {
  switch (op) {
    case ScalarOp::Add: return {clamped(Wide{a.lo} + b.lo), clamped(Wide{a.hi} + b.hi)};
    case ScalarOp::Sub: return {clamped(Wide{a.lo} - b.hi), clamped(Wide{a.hi} - b.lo)};
    case ScalarOp::Mul: return spanned(a, b, [](Wide x, Wide y) { return x * y; });
    case ScalarOp::Min: return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    case ScalarOp::Max: return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
    case ScalarOp::FloorDiv:
      return b.lo < 1 ? kAnyInteger : spanned(a, b, [](int64_t x, int64_t y) { return Wide{floor_quotient(x, y)}; });
    case ScalarOp::Mod: return b.lo < 1 ? kAnyInteger : Interval{0, b.hi - 1};
    default: return kAnyInteger;
  }
}

bool within(const WideInterval& inner, const WideInterval& outer) {
  return inner.lo >= outer.lo && inner.hi <= outer.hi;
}

WideInterval integers_of(DType type) {
  const int bits = type == DType::Bool ? 1 : is_int(type) ? dtype_row(type).bits : 64;
  const bool below = is_signed_int(type) || !is_integral(type);
  return below ? WideInterval{-(Wide{1} << (bits - 1)), (Wide{1} << (bits - 1)) - 1}
               : WideInterval{0, (Wide{1} << bits) - 1};
}

int64_t floor_quotient(int64_t a, int64_t b) { return *compute(ScalarOp::FloorDiv, a, b); }
WideInteger floor_quotient(WideInteger a, WideInteger b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

}  // namespace tenon
