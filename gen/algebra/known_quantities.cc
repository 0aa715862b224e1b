// Replaces the last quantity of a goal by one of its bounds until a number is left.
#include "algebra/known_quantities.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

namespace tenon {
namespace {

constexpr char kElsewhere = '\'';  ///< behind the name of a quantity: its value in another iteration
constexpr int kSteps = 4000;       ///< a proof that takes more is given up

std::string plain_name(const std::string& name) {
  return name.back() == kElsewhere ? name.substr(0, name.size() - 1) : name;
}

/// p = factor·quantity + rest, neither of which mentions it; nothing where it is in a power.
struct Split {
  Polynomial factor, rest;
};
std::optional<Split> split(const Polynomial& p, const std::string& quantity) {
  Split out;
  for (const auto& [monomial, coefficient] : p.terms) {
    const auto times = std::count(monomial.begin(), monomial.end(), quantity);
    if (times > 1) return std::nullopt;
    Monomial rest = monomial;
    rest.erase(std::remove(rest.begin(), rest.end(), quantity), rest.end());
    (times == 1 ? out.factor : out.rest).add(rest, coefficient);
  }
  return out;
}

Polynomial divided(Polynomial p, int64_t by) {
  for (auto& [monomial, coefficient] : p.terms) coefficient /= by;
  return p;
}

}  // namespace

/// One proof, with the steps that are left for it.
struct KnownQuantities::Search {
  const KnownQuantities& known;
  const Facts& more;
  int steps = kSteps;

  bool never_negative(const Polynomial& goal, int64_t slack = 0) {
    if (goal.overflowed || --steps < 0) return false;
    const std::string* last = known.last_of(goal);
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
  const Known& about(const std::string& name) const { return known.all_.at(plain_name(name)); }
  bool moved(const std::string& name) const { return name.back() == kElsewhere; }

  bool is_positive(const Polynomial& p) {
    if (p.is_constant()) return p.constant_value() > 0;
    return never_negative(p - Polynomial::constant(1));
  }
  bool is_not_negative(const Polynomial& p) { return p.is_constant() ? p.constant_value() >= 0 : never_negative(p); }

  /// A goal in powers of a quantity: all of its terms are products of what is never negative.
  bool squares(const Polynomial& goal) {
    for (const auto& [monomial, coefficient] : goal.terms) {
      if (coefficient < 0) return false;
      for (const std::string& name : monomial)
        if (!never_negative(Polynomial::quantity(name))) return false;
    }
    return true;
  }

  bool by_choices(const Polynomial& goal, const std::string& last, int64_t slack) {
    for (const auto& [a, b] : about(last).choices) {
      const Polynomial x = moved(last) ? known.elsewhere(a) : a, y = moved(last) ? known.elsewhere(b) : b;
      if (never_negative(replace(goal, last, x), slack) && never_negative(replace(goal, last, y), slack)) return true;
    }
    return false;
  }

  bool by_facts(const Split& goal, const std::string& last, int sign, const Polynomial& size, int64_t slack) {
    const auto uses = [&](const Polynomial& fact) { return by_fact(fact, goal, last, sign, size, slack); };
    for (const Polynomial& fact : about(last).facts)
      if (uses(moved(last) ? known.elsewhere(fact) : fact)) return true;
    return std::any_of(more.begin(), more.end(), [&](const Polynomial& fact) {
      const std::string* of = known.last_of(fact);
      return of && *of == last && uses(fact);
    });
  }

  /// goal = ±size·q + rest, fact = ±b·q + s >= 0, so that b·goal >= b·rest - size·s. The goal is an integer: more than
  /// -1 is enough.
  bool by_fact(const Polynomial& fact, const Split& goal, const std::string& last, int sign, const Polynomial& size,
               int64_t slack) {
    const auto parts = split(fact, last);
    if (!parts) return false;
    Polynomial by = sign > 0 ? parts->factor : -parts->factor, take = size;
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
    return never_negative(by * goal.rest - take * parts->rest, number ? more_slack - 1 : slack);
  }
};

Polynomial KnownQuantities::add(std::string_view word, bool varies) {
  std::string name = fmt::format("{}#{}", word, all_.size());
  all_[name] = {all_.size(), varies, {}, {}};
  return Polynomial::quantity(name);
}

void KnownQuantities::know(const Polynomial& never_negative) {
  const std::string* last = last_of(never_negative);
  if (last && !never_negative.overflowed) all_[*last].facts.push_back(never_negative);
}

void KnownQuantities::know_choice(const Polynomial& quantity, const Polynomial& a, const Polynomial& b) {
  all_[*last_of(quantity)].choices.emplace_back(a, b);
}

Facts KnownQuantities::consequences(const Polynomial& fact) const {
  const std::string* last = last_of(fact);
  const auto here = last ? split(fact, *last) : std::nullopt;
  Facts out;
  if (!here || !here->factor.is_constant()) return out;
  for (const Polynomial& bound : all_.at(*last).facts) {
    const auto there = split(bound, *last);
    if (!there || !there->factor.is_constant()) continue;
    const int64_t a = here->factor.constant_value(), b = there->factor.constant_value();
    if ((a > 0) == (b > 0)) continue;
    out.push_back(Polynomial::constant(std::abs(b)) * here->rest + Polynomial::constant(std::abs(a)) * there->rest);
  }
  return out;
}

Facts KnownQuantities::upper_bounds(const Polynomial& p) const {
  const std::string* last = last_of(p);
  const auto here = last ? split(p, *last) : std::nullopt;
  Facts out;
  if (!here || !here->factor.is_constant() || here->factor.constant_value() < 0) return out;
  for (const Polynomial& bound : all_.at(*last).facts) {
    const auto there = split(bound, *last);
    if (there && there->factor == Polynomial::constant(-1)) out.push_back(here->factor * there->rest + here->rest);
  }
  return out;
}

bool KnownQuantities::varies(const Polynomial& p) const {
  const std::vector<std::string> names = p.quantities();
  return std::any_of(names.begin(), names.end(), [&](const std::string& n) { return all_.at(plain_name(n)).varies; });
}

Polynomial KnownQuantities::elsewhere(const Polynomial& p) const {
  Polynomial out;
  out.overflowed = p.overflowed;
  for (const auto& [monomial, coefficient] : p.terms) {
    Monomial moved = monomial;
    for (std::string& name : moved)
      if (all_.at(name).varies) name += kElsewhere;
    std::sort(moved.begin(), moved.end());
    out.add(moved, coefficient);
  }
  return out;
}

bool KnownQuantities::proves(const Polynomial& goal, const Facts& more) const {
  return Search{*this, more}.never_negative(goal);
}

size_t KnownQuantities::order_of(const std::string& name) const {
  return 2 * all_.at(plain_name(name)).order + (name.back() == kElsewhere ? 1 : 0);
}

/// Points into `p`.
const std::string* KnownQuantities::last_of(const Polynomial& p) const {
  const std::string* last = nullptr;
  for (const auto& [monomial, coefficient] : p.terms)
    for (const std::string& name : monomial)
      if (!last || order_of(name) > order_of(*last)) last = &name;
  return last;
}

}  // namespace tenon
