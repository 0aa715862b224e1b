// What extents are at most: growing and shrinking ones, and those that do both.
#include "ir/graph/size_bounds.h"

#include "catch.h"

namespace size_bounds_test {

using namespace tenon;

TEST_CASE("ir: the maximum value of an extent") {
  const std::vector<GraphSize> sizes{{"n", 1, 6}, {"m", 2, 8}, {"big", 1, 1 << 20}};
  const SizeExpr n = size_name("n"), m = size_name("m"), big = size_name("big");
  CHECK(maximum_value(7, sizes) == 7);
  CHECK(maximum_value(n * m + SizeExpr(1), sizes) == 49);
  // windows of n elements in steps of 3: the fewer elements, the more windows
  CHECK(maximum_value(floor_div(SizeExpr(7) - n, 3) + SizeExpr(1), sizes) == 3);
  CHECK(maximum_value(SizeExpr(5) * m * (floor_div(SizeExpr(1) - n, 3) + SizeExpr(3)), sizes) == 120);
  CHECK(maximum_value(n * (SizeExpr(7) - n), sizes) == 12);
  CHECK(maximum_value(floor_div(m, n), sizes) == 8);
  CHECK(maximum_value(floor_mod(m + SizeExpr(1), 5), sizes) == 4);
  CHECK(maximum_value(big * (SizeExpr(1 << 20) - big), sizes).value_or(0) >=
        int64_t{1} << 38);  // too many values to look at each
  CHECK_FALSE(maximum_value(size_name("other"), sizes));
  CHECK_FALSE(maximum_value(floor_div(m, n - SizeExpr(1)), sizes));  // by 0 where n is 1
}

}  // namespace size_bounds_test
