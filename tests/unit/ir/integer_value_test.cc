// Integers that expressions of the notation are: with 128 bits in between, and none where a name is unknown.
#include "ir/op/integer_value.h"

#include "catch.h"

namespace integer_value_test {

using namespace tenon;

namespace {

const KnownIntegers kKnown = {{"a", 7}, {"b", -2}};

std::optional<std::int64_t> value(const char* function, const Syntax& x, const Syntax& y) {
  const auto v = integer_value(binary_node(function, x, y), kKnown);
  return v ? std::optional(static_cast<std::int64_t>(*v)) : std::nullopt;
}

}  // namespace

TEST_CASE("ir: arithmetic of known integers", "[ir]") {
  const Syntax a = name_node("a"), b = name_node("b"), zero = number_node(0);
  CHECK(value("+", a, b) == 5);
  CHECK(value("-", b, a) == -9);
  CHECK(value("*", a, b) == -14);
  CHECK(value("//", a, b) == -4);
  CHECK(value("**", b, number_node(3)) == -8);
  CHECK(integer_value(call_node("ceildiv", {a, number_node(2)}), kKnown) == 4);
  CHECK(integer_value(call_node("min", {a, b}), kKnown) == -2);
  CHECK(integer_value(call_node("max", {a, b}), kKnown) == 7);
  CHECK(value("//", a, zero) == std::nullopt);
  CHECK(value("**", a, b) == std::nullopt);
  CHECK(value("%", a, b) == std::nullopt);
  CHECK(value("+", a, name_node("c")) == std::nullopt);
  CHECK(integer_value(call_node("abs", {b}), kKnown) == std::nullopt);
}

TEST_CASE("ir: what 64 bits do not hold stays so", "[ir]") {
  const Syntax two = number_node(2), big = binary_node("**", two, number_node(64));
  CHECK(fits_64_bits(*integer_value(binary_node("-", binary_node("**", two, number_node(63)), number_node(1)))));
  CHECK_FALSE(fits_64_bits(*integer_value(big)));
  CHECK_FALSE(fits_64_bits(*integer_value(binary_node("-", big, big))));
  CHECK_FALSE(fits_64_bits(*integer_value(binary_node("*", big, number_node(0)))));
  CHECK(integer_value(binary_node("**", name_node("minus"), number_node(65)), {{"minus", -1}}) == -1);
  CHECK(integer_value(binary_node("**", name_node("minus"), number_node(66)), {{"minus", -1}}) == 1);
  CHECK_FALSE(fits_64_bits(*integer_value(binary_node("**", two, number_node(1 << 30)))));
}

}  // namespace integer_value_test
