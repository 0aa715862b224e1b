// Indices made of bits and of values of narrow types.
#include <bit>

#include "algebra/index_bounds.h"
#include "support/ranges.h"

namespace tenon {

namespace {
constexpr int kChoices = 2;  ///< alternatives that an operand may have, as those of select and padded
}  // namespace

/// bit_and(x, m) with m >= 0 keeps to 0 … m; x shifted to the right is x divided where x is not negative.
std::optional<Polynomial> IndexBounds::bits(const Syntax& s) {
  const Syntax &x = s.children[0], &by = s.children[1];
  if (s.text == "bit_or" || s.text == "bit_xor") return either_bits(s);
  if (s.text == "bit_and") {
    for (const bool first : {false, true}) {
      const auto mask = polynomial(first ? x : by);
      if (mask && whole(first ? by : x) && prove(*mask, {}, kChoices))
        return bounded("bits", Polynomial(), *mask, print(s));
    }
    return std::nullopt;
  }
  const auto shift = polynomial(by), value = polynomial(x);
  if (!shift || !shift->is_constant() || shift->constant_value() < 0 || shift->constant_value() > 62)
    return std::nullopt;
  if (!value || !prove(*value, {}, kChoices)) return std::nullopt;
  return floor_division(*value, Polynomial::constant(std::int64_t{1} << shift->constant_value()));
}

/// A nonnegative number does not get smaller if no bits are shifted out: a shift of sizes that overflows is an error,
/// and a constant's largest valid shift is known.
std::optional<Polynomial> IndexBounds::left_shift(const Syntax& s) {
  const auto value = polynomial(s.children[0]), by = polynomial(s.children[1]);
  if (!value || !by || !prove_quickly(*value)) return std::nullopt;
  const bool number = value->is_constant() && value->constant_value() > 0;
  const std::int64_t room = number ? std::countl_zero(static_cast<std::uint64_t>(value->constant_value())) - 1 : 0;
  const bool fits = of_sizes_ || (number && prove_quickly(Polynomial::constant(room) - *by));
  if (!fits) return std::nullopt;
  return bounded("shifted", prove_quickly(*by) ? *value : Polynomial(), std::nullopt, print(s));
}

/// The largest value of an expression that is linear in variables with constant extents. Its quotient is an integer,
/// which gives a tighter bound than facts about real numbers.
std::optional<std::int64_t> IndexBounds::most_of(const Polynomial& p) const {
  constexpr std::int64_t kFar = std::int64_t{1} << 31;
  std::int64_t most = 0;
  for (const auto& [monomial, coefficient] : p.terms) {
    if (coefficient > kFar || coefficient < -kFar) return std::nullopt;
    if (monomial.empty()) {
      most += coefficient;
      continue;
    }
    const auto extent =
        monomial.size() == 1 ? context_.extents.find(std::string(monomial.begin()->text())) : context_.extents.end();
    if (extent == context_.extents.end() || !extent->second.is(SyntaxKind::integer)) return std::nullopt;
    const std::int64_t last = extent->second.integer - 1;
    if (last < 0 || last > kFar) return std::nullopt;
    most += std::max<std::int64_t>(coefficient, 0) * last;
  }
  return most;
}

/// A bitwise combination of two nonnegative numbers has no more bits than they have.
std::optional<Polynomial> IndexBounds::either_bits(const Syntax& s) {
  constexpr int kMost = 16;
  const auto a = polynomial(s.children[0]), b = polynomial(s.children[1]);
  if (!a || !b || !prove(*a, {}, kChoices) || !prove(*b, {}, kChoices)) return std::nullopt;
  for (int bits = 1; bits <= kMost; ++bits) {
    const Polynomial most = Polynomial::constant((std::int64_t{1} << bits) - 1);
    if (prove(most - *a, {}, kChoices) && prove(most - *b, {}, kChoices))
      return bounded("bits", Polynomial(), most, print(s));
  }
  return std::nullopt;
}

/// A value of a narrow type is within its range; a value within it is unchanged.
std::optional<Polynomial> IndexBounds::conversion(const Syntax& s) {
  const auto value = polynomial(s.children[0]);
  if (s.children[1].is_name("i64")) return value;
  const Interval* range = find_value(context_.type_ranges, s.children[1].text);
  if (!range) return std::nullopt;
  const Polynomial least = Polynomial::constant(range->lo), most = Polynomial::constant(range->hi);
  if (value && prove_quickly(*value - least) && prove_quickly(most - *value)) return value;
  return bounded("value", least, most, print(s));
}

}  // namespace tenon
