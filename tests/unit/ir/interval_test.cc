// Intervals of integers: each result holds whatever its operands are, and ends that are far say nothing.
#include "ir/number/interval.h"

#include "catch.h"

namespace interval_test {

using namespace tenon;

TEST_CASE("ir: the interval of a result is the smallest that has all of them") {
  const Interval few[] = {{0, 0}, {1, 3}, {-2, 2}, {-5, -3}, {2, 7}};
  for (const ScalarOp op :
       {ScalarOp::Add, ScalarOp::Sub, ScalarOp::Mul, ScalarOp::Min, ScalarOp::Max, ScalarOp::FloorDiv})
    for (const Interval a : few)
      for (const Interval b : few) {
        if (op == ScalarOp::FloorDiv && b.lo < 1) continue;
        const int64_t first = *compute(op, a.lo, b.lo);
        Interval all{first, first};
        for (int64_t x = a.lo; x <= a.hi; ++x)
          for (int64_t y = b.lo; y <= b.hi; ++y) all = hull(all, {*compute(op, x, y), *compute(op, x, y)});
        CHECK(combined(op, a, b) == all);
      }
}

TEST_CASE("ir: a remainder is below its divisor") {
  CHECK(combined(ScalarOp::Mod, {-9, 9}, {2, 5}) == Interval{0, 4});
  CHECK(combined(ScalarOp::Mod, {0, 9}, {0, 5}) == kAnyInteger);
  CHECK(combined(ScalarOp::FloorDiv, {0, 9}, {-1, 5}) == kAnyInteger);
}

TEST_CASE("ir: ends that 62 bits do not hold are any") {
  const Interval large{0, int64_t{1} << 40};
  CHECK(combined(ScalarOp::Mul, large, large).hi == kFarInteger);
  CHECK(combined(ScalarOp::Sub, kAnyInteger, kAnyInteger) == kAnyInteger);
  CHECK(combined(ScalarOp::Min, kAnyInteger, {3, 5}) == Interval{-kFarInteger, 5});
  CHECK(within({3, 5}, kAnyInteger));
  CHECK_FALSE(within(kAnyInteger, {3, 5}));
}

}  // namespace interval_test
