// Arithmetic in 128 bits, of operands that 64 bits hold.
#include "ir/op/integer_value.h"

#include <limits>

#include "support/ranges.h"

namespace tenon {
namespace {

constexpr WideInteger kBeyond = WideInteger{std::numeric_limits<std::uint64_t>::max()} + 1;

WideInteger product(WideInteger a, WideInteger b) {
  WideInteger result = 0;
  return __builtin_mul_overflow(a, b, &result) ? kBeyond : result;
}

WideInteger power(WideInteger a, WideInteger exponent) {
  WideInteger result = 1;
  // Beyond 64 factors nothing changes but the sign of powers of -1.
  for (WideInteger k = std::min<WideInteger>(exponent, 64 + exponent % 2); k > 0 && fits_64_bits(result); --k)
    result = product(result, a);
  return result;
}

std::optional<WideInteger> combined(const std::string& function, WideInteger a, WideInteger b) {
  if (!fits_64_bits(a) || !fits_64_bits(b)) return kBeyond;
  if (function == "+") return a + b;
  if (function == "-") return a - b;
  if (function == "*") return product(a, b);
  if (function == "min") return std::min(a, b);
  if (function == "max") return std::max(a, b);
  if (function == "//" && b != 0) return floor_quotient(a, b);
  if (function == "ceildiv" && b != 0) return -floor_quotient(-a, b);
  return function == "**" && b >= 0 ? std::optional(power(a, b)) : std::nullopt;
}

}  // namespace

bool fits_64_bits(WideInteger value) { return value >= std::numeric_limits<std::int64_t>::min() && value < kBeyond; }

std::optional<WideInteger> integer_value(const Syntax& s, const KnownIntegers& known) {
  if (s.is(SyntaxKind::integer)) return static_cast<std::uint64_t>(s.integer);
  if (s.is(SyntaxKind::name) || s.is(SyntaxKind::pack)) return lookup(known, s.text);
  if (s.is(SyntaxKind::each)) return integer_value(s.children[0], known);
  if (s.is(SyntaxKind::unary) && s.text == "-") {
    const auto value = integer_value(s.children[0], known);
    return value ? std::optional(-*value) : std::nullopt;
  }
  if ((!s.is(SyntaxKind::binary) && !s.is(SyntaxKind::call)) || s.children.size() != 2) return std::nullopt;
  const auto a = integer_value(s.children[0], known), b = a ? integer_value(s.children[1], known) : std::nullopt;
  return a && b ? combined(s.text, *a, *b) : std::nullopt;
}

}  // namespace tenon
