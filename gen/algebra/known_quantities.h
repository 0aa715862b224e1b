// Integer quantities of a loop nest with facts about them, and proofs of inequalities from these.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "algebra/polynomial.h"

namespace tenon {

/// Polynomials that are never negative.
using Facts = std::vector<Polynomial>;

/// Quantities in the order in which they get their values: the facts about one mention earlier ones only.
class KnownQuantities {
 public:
  /// p = factor·q + rest, neither of which mentions the quantity q.
  struct Split {
    Polynomial factor, rest;
  };

  /// A new quantity. `varies`: it has a value of its own in each iteration of the loop that is looked at.
  Polynomial add(std::string_view word, bool varies);
  /// A fact, given that the last of its quantities has a value.
  void know(const Polynomial& never_negative);
  /// One of two values; which one is unknown.
  void know_choice(const Polynomial& quantity, const Polynomial& a, const Polynomial& b);

  /// What follows from a fact by the bounds of its last quantity.
  Facts consequences(const Polynomial& fact) const;

  /// What a value is at most, by the bounds of its last quantity.
  Facts upper_bounds(const Polynomial& p) const;

  bool varies(const Polynomial& p) const;
  bool varies(const QuantityName& name) const { return about(name).varies; }

  /// The same quantities in another iteration; those that do not vary are the same in all.
  Polynomial elsewhere(const Polynomial& p) const;

  /// True when `goal` is proved to be at least 0. False says nothing. `more` holds besides.
  bool proves(const Polynomial& goal, const Facts& more) const;

 private:
  struct Known {
    bool varies = false;
    QuantityName moved;                                      ///< its value in another iteration
    std::vector<Split> here, there;                          ///< the facts in which it is the last quantity; moved
    std::vector<std::pair<Polynomial, Polynomial>> choices;  ///< it is one of each pair
  };
  struct Search;
  /// Values by number that satisfy the facts about the quantities; the list ends early if no value is left for the next
  /// quantity. A claim that is false at a point cannot be proved.
  using Point = std::vector<int64_t>;

  const std::vector<Split>& facts_of(const QuantityName& name) const {
    return is_moved(name) ? about(name).there : about(name).here;
  }
  static bool is_moved(const QuantityName& name) { return name.number() % 2 != 0; }
  const Known& about(const QuantityName& name) const { return all_[name.number() / 2]; }
  static const QuantityName* last_of(const Polynomial& p);

  /// Points are chosen again from a quantity on, because more is known about it now.
  void forget_from(size_t quantity);
  void extend_points() const;
  void extend(Point& point, size_t seed) const;
  std::optional<int64_t> pick(const Point& point, size_t seed) const;
  static std::optional<int64_t> value_at(const Polynomial& p, const Point& point);
  /// The points where all facts hold that a proof of the goal can use.
  std::vector<const Point*> points_for(const Polynomial& goal, const Facts& more) const;

  mutable std::vector<Point> points_;
  std::vector<Known> all_;  ///< numbers 2·i and 2·i + 1 are those of quantity i here and in another iteration
};

}  // namespace tenon
