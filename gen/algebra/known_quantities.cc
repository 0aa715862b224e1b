// Replaces the last quantity of a goal by one of its bounds until a number is left.
#include "algebra/known_quantities.h"

#include <fmt/format.h>

#include <numeric>
#include <optional>

#include "support/ranges.h"

namespace tenon {
namespace {

constexpr char kElsewhere = '\'';  ///< after the name of a quantity: its value in another iteration
constexpr int kSteps = 4000;       ///< a proof that takes more is given up

using Split = KnownQuantities::Split;

/// Nothing where the quantity is in a power.
std::optional<Split> split(const Polynomial& p, const QuantityName& quantity) {
  Split out;
  out.rest.terms.reserve(p.terms.size());
  const Monomial of(quantity);
  for (const auto& [monomial, coefficient] : p.terms) {
    const auto times = count_of(monomial, quantity);
    if (times > 1) return std::nullopt;
    if (times == 0) {
      out.rest.terms.emplace_back(monomial, coefficient);
      continue;
    }
    Monomial rest;
    divide(monomial, of, rest);
    out.factor.add(rest, coefficient);
  }
  return out;
}

}  // namespace

/// One proof, with the steps that are left for it.
struct KnownQuantities::Search {
  const KnownQuantities& known;
  const Facts& more;
  std::vector<const Point*> points;
  int steps = kSteps;

  bool never_negative(const Polynomial& goal, int64_t slack = 0) {
    if (goal.overflowed || is_refuted(goal, slack) || --steps < 0) return false;
    const QuantityName* last = last_of(goal);
    if (!last) return goal.constant_value() + slack >= 0;
    const auto parts = split(goal, *last);
    if (!parts) return squares(goal);
    for (const int sign : {1, -1}) {
      const Polynomial size = sign > 0 ? parts->factor : -parts->factor;
      if (!is_not_negative(size)) continue;
      return by_facts(*parts, *last, sign, size, slack) || by_choices(goal, *last, slack);
    }
    return false;
  }

 private:
  bool is_refuted(const Polynomial& goal, int64_t slack) const {
    return any_of(points, [&](const Point* point) {
      const auto value = value_at(goal, *point);
      return value && *value < -slack;
    });
  }

  bool is_positive(const Polynomial& p) {
    if (p.is_constant()) return p.constant_value() > 0;
    return never_negative(p - Polynomial::constant(1));
  }
  bool is_not_negative(const Polynomial& p) { return p.is_constant() ? p.constant_value() >= 0 : never_negative(p); }

  /// A goal in powers of a quantity: all of its terms are products of nonnegative quantities.
  bool squares(const Polynomial& goal) {
    for (const auto& [monomial, coefficient] : goal.terms) {
      if (coefficient < 0) return false;
      for (const QuantityName& name : monomial)
        if (!never_negative(Polynomial::quantity(name))) return false;
    }
    return true;
  }

  bool by_choices(const Polynomial& goal, const QuantityName& last, int64_t slack) {
    for (const auto& [a, b] : known.about(last).choices) {
      const Polynomial x = is_moved(last) ? known.elsewhere(a) : a, y = is_moved(last) ? known.elsewhere(b) : b;
      if (never_negative(replace(goal, last, x), slack) && never_negative(replace(goal, last, y), slack)) return true;
    }
    return false;
  }

  bool by_facts(const Split& goal, const QuantityName& last, int sign, const Polynomial& size, int64_t slack) {
    const auto uses = [&](const Split& fact) { return by_fact(fact, goal, sign, size, slack); };
    const std::vector<Split>& facts = known.facts_of(last);
    return any_of(facts, uses) || any_of(more, [&](const Polynomial& fact) {
             const QuantityName* of = last_of(fact);
             const auto parts = of && *of == last ? split(fact, last) : std::nullopt;
             return parts && uses(*parts);
           });
  }

  /// goal = ±size·q + rest, fact = ±b·q + s >= 0, so that b·goal >= b·rest - size·s. The goal is an integer: more than
  /// -1 is enough.
  bool by_fact(const Split& fact, const Split& goal, int sign, const Polynomial& size, int64_t slack) {
    if (fact.factor.is_constant() && fact.factor.constant_value() * sign <= 0) return false;
    Polynomial by = sign > 0 ? fact.factor : -fact.factor, take = size;
    if (!is_positive(by)) return false;
    if (by.is_constant() && size.is_constant()) {
      const int64_t shared = std::gcd(by.constant_value(), size.constant_value());
      by = divided(by, shared), take = divided(take, shared);
    } else if (by == take) {
      by = take = Polynomial::constant(1);
    }
    int64_t more_slack = 0;
    const bool number = by.is_constant();
    if (number && (__builtin_mul_overflow(slack + 1, by.constant_value(), &more_slack) || more_slack > INT32_MAX))
      return false;
    return never_negative(by * goal.rest - take * fact.rest, number ? more_slack - 1 : slack);
  }
};

Polynomial KnownQuantities::add(std::string_view word, bool varies) {
  const size_t number = all_.size();
  const std::string name = fmt::format("{}#{}", word, number);
  all_.push_back({varies, QuantityName(name + kElsewhere, 2 * number + 1), {}, {}, {}});
  return Polynomial::quantity(QuantityName(name, 2 * number));
}

void KnownQuantities::know(const Polynomial& never_negative) {
  const QuantityName* last = last_of(never_negative);
  if (!last || never_negative.overflowed) return;
  Known& known = all_[last->number() / 2];
  auto here = split(never_negative, *last);
  if (!here) return;
  known.there.push_back(known.varies ? *split(elsewhere(never_negative), known.moved) : *here);
  known.here.push_back(std::move(*here));
  forget_from(last->number() / 2);
}

void KnownQuantities::know_choice(const Polynomial& quantity, const Polynomial& a, const Polynomial& b) {
  const size_t number = last_of(quantity)->number() / 2;
  all_[number].choices.emplace_back(a, b);
  forget_from(number);
}

Facts KnownQuantities::consequences(const Polynomial& fact) const {
  const QuantityName* last = last_of(fact);
  const auto here = last ? split(fact, *last) : std::nullopt;
  Facts out;
  if (!here || !here->factor.is_constant()) return out;
  for (const Split& bound : facts_of(*last)) {
    if (!bound.factor.is_constant()) continue;
    const int64_t a = here->factor.constant_value(), b = bound.factor.constant_value();
    if ((a > 0) == (b > 0)) continue;
    out.push_back(Polynomial::constant(std::abs(b)) * here->rest + Polynomial::constant(std::abs(a)) * bound.rest);
  }
  return out;
}

Facts KnownQuantities::upper_bounds(const Polynomial& p) const {
  const QuantityName* last = last_of(p);
  const auto here = last ? split(p, *last) : std::nullopt;
  Facts out;
  if (!here || !here->factor.is_constant() || here->factor.constant_value() < 0) return out;
  for (const Split& bound : facts_of(*last))
    if (bound.factor == Polynomial::constant(-1)) out.push_back(here->factor * bound.rest + here->rest);
  return out;
}

bool KnownQuantities::varies(const Polynomial& p) const {
  return any_of(p.terms, [&](const Polynomial::Term& term) {
    return any_of(term.first, [&](const QuantityName& n) { return varies(n); });
  });
}

Polynomial KnownQuantities::elsewhere(const Polynomial& p) const {
  Polynomial out;
  out.overflowed = p.overflowed;
  for (const auto& [monomial, coefficient] : p.terms) {
    const auto moved = [&](const QuantityName& name) { return varies(name) ? about(name).moved : name; };
    out.add(Monomial::product(mapped(monomial, moved)), coefficient);
  }
  return out;
}

bool KnownQuantities::proves(const Polynomial& goal, const Facts& more) const {
  return Search{*this, more, points_for(goal, more)}.never_negative(goal);
}

/// The quantity that was assigned last. Points into `p`.
const QuantityName* KnownQuantities::last_of(const Polynomial& p) {
  const QuantityName* last = nullptr;
  for (const auto& [monomial, coefficient] : p.terms)
    for (const QuantityName& name : monomial)
      if (!last || name.number() > last->number()) last = &name;
  return last;
}

}  // namespace tenon
