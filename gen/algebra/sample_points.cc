// Chooses values that agree with the facts about quantities, so that most false claims are not searched for a
// proof.
#include <array>

#include "algebra/known_quantities.h"
#include "ir/number/interval.h"
#include "support/ranges.h"

namespace tenon {
namespace {

constexpr std::array<int64_t, 8> kSpread = {1, 2, 3, 5, 8, 16, 40, 100};  ///< of a point, in turn
constexpr size_t kPoints = 64;

/// Deterministic: the same number for the same position of the same point.
uint64_t drawn(size_t seed, size_t number) {
  uint64_t x = (seed + 1) * 0x9e3779b97f4a7c15u + number * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

int64_t quotient_up(int64_t a, int64_t b) { return a / b + (a % b != 0 && (a > 0) == (b > 0) ? 1 : 0); }

struct ValueRange {
  int64_t low = INT64_MIN, high = INT64_MAX;

  bool has(int64_t v) const { return low <= v && v <= high; }
  /// Both ends and values between them; sizes of 0 are rare.
  int64_t draw(size_t seed, uint64_t random) const {
    const int64_t spread = kSpread[seed % kSpread.size()];
    int64_t from = low, to = high;
    if (from == INT64_MIN) from = to == INT64_MAX ? -spread : std::max(to - spread, INT64_MIN / 2);
    if (from == 0 && to == INT64_MAX && random % 8 != 0) from = 1;
    if (to == INT64_MAX) to = from + spread;
    switch (random / 8 % 4) {
      case 0: return from;
      case 1: return to;
      default: return from + static_cast<int64_t>(random / 32 % static_cast<uint64_t>(to - from + 1));
    }
  }
};

}  // namespace

std::optional<int64_t> KnownQuantities::value_at(const Polynomial& p, const Point& point) {
  int64_t sum = 0;
  for (const auto& [monomial, coefficient] : p.terms) {
    int64_t product = coefficient;
    for (const QuantityName& name : monomial)
      if (name.number() >= point.size() || __builtin_mul_overflow(product, point[name.number()], &product))
        return std::nullopt;
    if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
  }
  return sum;
}

/// A value for the next quantity.
std::optional<int64_t> KnownQuantities::pick(const Point& point, size_t seed) const {
  constexpr int64_t far = int64_t{1} << 40;
  const bool moved = point.size() % 2 != 0;
  const Known& known = all_[point.size() / 2];
  ValueRange range;
  for (const Split& fact : moved ? known.there : known.here) {
    const auto factor = value_at(fact.factor, point), rest = value_at(fact.rest, point);
    if (!factor || !rest || std::abs(*rest) > far || (*factor == 0 && *rest < 0)) return std::nullopt;
    if (*factor > 0) range.low = std::max(range.low, quotient_up(-*rest, *factor));
    if (*factor < 0) range.high = std::min(range.high, floor_quotient(*rest, -*factor));
  }
  if (range.low > range.high) return std::nullopt;
  const uint64_t random = drawn(seed, point.size());
  if (known.choices.empty()) return range.draw(seed, random);
  const auto values = [&](const std::pair<Polynomial, Polynomial>& c) {
    return std::array{value_at(moved ? elsewhere(c.first) : c.first, point),
                      value_at(moved ? elsewhere(c.second) : c.second, point)};
  };
  for (const size_t which : {random % 2, 1 - random % 2}) {
    const auto value = values(known.choices.front())[which];
    if (value && range.has(*value) && all_of(known.choices, [&](const auto& c) {
          const auto either = values(c);
          return either[0] == value || either[1] == value;
        }))
      return value;
  }
  return std::nullopt;
}

void KnownQuantities::extend(Point& point, size_t seed) const {
  while (point.size() < 2 * all_.size()) {
    const bool fixed = point.size() % 2 != 0 && !all_[point.size() / 2].varies;
    const auto value = fixed ? std::optional(point.back()) : pick(point, seed);
    if (!value) return;
    point.push_back(*value);
  }
}

void KnownQuantities::extend_points() const {
  points_.resize(kPoints);
  for (size_t seed = 0; seed < points_.size(); ++seed) extend(points_[seed], seed);
}

void KnownQuantities::forget_from(size_t quantity) {
  for (Point& point : points_) point.resize(std::min(point.size(), 2 * quantity));
}

std::vector<const KnownQuantities::Point*> KnownQuantities::points_for(const Polynomial& goal,
                                                                       const Facts& more) const {
  extend_points();
  std::vector<const Point*> out;
  const QuantityName* last = last_of(goal);
  for (const Point& point : points_)
    if (std::all_of(more.begin(), more.end(), [&](const Polynomial& fact) {
          const QuantityName* of = last_of(fact);
          if (of && (!last || of->number() > last->number())) return true;  // no proof of this goal comes to it
          const auto value = value_at(fact, point);
          return value && *value >= 0;
        }))
      out.push_back(&point);
  return out;
}

}  // namespace tenon
