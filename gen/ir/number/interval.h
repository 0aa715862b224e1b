// Intervals of integers: the range of an operation from the ranges of its operands.
#pragma once

#include <cstdint>

#include "ir/number/dtype.h"
#include "ir/number/scalar_op.h"

namespace tenon {

/// The integers from `lo` to `hi`.
struct Interval {
  int64_t lo = 0, hi = 0;
  bool operator==(const Interval&) const = default;
};

/// Bounds of unknown integers. The product of two fits in 128 bits.
constexpr int64_t kFarInteger = int64_t{1} << 62;
constexpr Interval kAnyInteger{-kFarInteger, kFarInteger};

/// The smallest interval that contains both.
Interval hull(Interval a, Interval b);
bool within(Interval inner, Interval outer);
/// The results of Add, Sub, Mul, Min, Max, and of FloorDiv and Mod where the divisor is at least 1; any integer for
/// others. Ends beyond kFarInteger become those of kAnyInteger.
Interval combined(ScalarOp op, Interval a, Interval b);

/// Intervals whose ends need not fit an i64.
__extension__ using WideInteger = __int128;
struct WideInterval {
  WideInteger lo = 0, hi = 0;
  bool operator==(const WideInterval&) const = default;
};

bool within(const WideInterval& inner, const WideInterval& outer);
/// The values of a type; of one that has no integers those of i64.
WideInterval integers_of(DType type);

/// a / b rounded toward minus infinity; b must not be 0.
int64_t floor_quotient(int64_t a, int64_t b);
WideInteger floor_quotient(WideInteger a, WideInteger b);

}  // namespace tenon
