// What the elements of computed tensors are between.
#include "frontend/graph/value_range.h"

#include <limits>

#include "catch.h"

namespace value_range_test {

using namespace tenon;

namespace {

using Range = std::optional<ValueRange>;
constexpr double kEndless = std::numeric_limits<double>::infinity();

bool is(const Range& r, double lo, double hi) { return r && r->lo == lo && r->hi == hi; }
Range of(const std::string& op, const std::vector<Range>& in, const Attributes& attrs = {}) {
  return range_of_result(op, in, attrs);
}
const Range kAnything;
Range between(double lo, double hi) { return ValueRange{lo, hi}; }

}  // namespace

TEST_CASE("value ranges: a limit bounds what nothing is known of on its side") {
  CHECK(is(of("minimum", {kAnything, between(9, 9)}), -kEndless, 9));
  CHECK(is(of("maximum", {kAnything, between(0, 0)}), 0, kEndless));
  CHECK(is(of("relu", {kAnything}), 0, kEndless));
  CHECK(is(of("clip", {kAnything}, {{"lo", int64_t{2}}, {"hi", 7.0}}), 2, 7));
  CHECK(is(of("clip", {between(3, 5)}, {{"hi", int64_t{4}}}), 3, 4));
}

TEST_CASE("value ranges: arithmetic") {
  CHECK(is(of("add", {between(1, 2), between(-3, 4)}), -2, 6));
  CHECK(is(of("sub", {between(1, 2), between(-3, 4)}), -3, 5));
  CHECK(is(of("mul", {between(-2, 3), between(-5, 4)}), -15, 12));
  CHECK(is(of("neg", {between(-2, 3)}), -3, 2));
  CHECK(is(of("abs", {between(-2, 1)}), 0, 2));
  CHECK(is(of("ceil", {between(0.5, 1.5)}), 0, 2));
  CHECK(is(of("trunc_div", {between(-7, 9), between(1, 4)}), -7, 9));
  CHECK_FALSE(of("trunc_div", {between(-7, 9), between(-1, 4)}));
  CHECK_FALSE(of("mul", {between(1, 2), kAnything}));
}

TEST_CASE("value ranges: what is moved keeps its range, what is chosen has those of all choices") {
  CHECK(is(of("gather", {between(1, 2), between(0, 100)}), 1, 2));
  CHECK(is(of("where", {between(0, 1), between(3, 4), between(-1, 2)}), -1, 4));
  CHECK(is(of("concat", {between(3, 4), between(7, 8), between(5, 5)}), 3, 8));
  CHECK_FALSE(of("concat", {between(3, 4), kAnything}));
  CHECK_FALSE(of("cumsum", {between(0, 1)}));
}

TEST_CASE("value ranges: numbers that doubles do not hold exactly bound nothing") {
  CHECK(is(of("add", {between(0, 0x1p53), between(0, 0x1p53)}), 0, kEndless));
  CHECK_FALSE(of("mul", {between(0x1p40, 0x1p41), between(0x1p40, 0x1p41)}));
  CHECK(is(range_of_type(DType::U8), 0, 255));
  CHECK(is(range_of_type(DType::I16), -32768, 32767));
  CHECK_FALSE(range_of_type(DType::I64));
  CHECK_FALSE(range_of_type(DType::F32));
}

}  // namespace value_range_test
