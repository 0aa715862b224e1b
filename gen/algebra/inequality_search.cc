// Depth-first: each step cancels a negative term of the goal with a fact that has a negative term dividing it.
#include "algebra/inequality_search.h"

#include <algorithm>

namespace tenon {

namespace {

constexpr int kDeepest = 10;
constexpr int kBudget = 3000;

class Search {
 public:
  Search(const std::vector<Polynomial>& facts, const std::set<std::string>& nonnegative) : facts_(facts), nonnegative_(nonnegative) {}

  bool run(const Polynomial& goal, int depth) {
    if (goal.overflowed || --budget_ < 0) return false;
    const auto negative = worst(goal);
    if (negative == goal.terms.end()) return true;
    if (depth == kDeepest) return false;
    for (const Polynomial& fact : facts_) {
      for (const auto& [monomial, coefficient] : fact.terms) {
        if (coefficient < 0 && cancel(goal, *negative, fact, {monomial, coefficient}, depth)) return true;
      }
    }
    return false;
  }

 private:
  using Term = std::pair<const Monomial, std::int64_t>;

  bool harmless(const Term& term) const {
    if (term.second < 0) return false;
    return nonnegative_monomial(term.first);
  }

  bool nonnegative_monomial(const Monomial& monomial) const {
    for (std::size_t i = 0; i < monomial.size(); ++i) {
      if (nonnegative_.count(monomial[i]) != 0) continue;
      if (i + 1 == monomial.size() || monomial[i + 1] != monomial[i]) return false;
      ++i;  // a square
    }
    return true;
  }

  /// The term that stands most in the way: of the highest degree. A constant comes last, as every other step may change it.
  std::map<Monomial, std::int64_t>::const_iterator worst(const Polynomial& goal) const {
    auto found = goal.terms.end();
    for (auto at = goal.terms.begin(); at != goal.terms.end(); ++at) {
      if (!harmless(*at) && (found == goal.terms.end() || at->first.size() > found->first.size())) found = at;
    }
    return found;
  }

  /// goal·c' − c·m·fact, in which the negative term −c·(m·t') of the goal has gone; c' > 0 keeps the sign of the goal.
  bool cancel(const Polynomial& goal, const Term& term, const Polynomial& fact, const Term& in_fact, int depth) {
    Monomial factor;
    if (term.second > 0 || !divide(term.first, in_fact.first, factor) || !nonnegative_monomial(factor)) return false;
    Polynomial multiple;
    multiple.add(factor, term.second);
    const Polynomial scaled = goal * Polynomial::constant(-in_fact.second);
    Polynomial next = scaled + multiple * fact;
    divide_content(next);
    return run(next, depth + 1);
  }

  /// Keeps coefficients small.
  static void divide_content(Polynomial& p) {
    std::int64_t content = 0;
    for (const auto& [monomial, coefficient] : p.terms) {
      std::int64_t a = content, b = coefficient < 0 ? -coefficient : coefficient;
      while (b != 0) std::swap(a %= b, b);
      content = a;
    }
    if (content <= 1) return;
    for (auto& [monomial, coefficient] : p.terms) coefficient /= content;
  }

  const std::vector<Polynomial>& facts_;
  const std::set<std::string>& nonnegative_;
  int budget_ = kBudget;
};

/// q if the fact is a·q − c >= 0 with a > 0, c >= 0.
const std::string* single_quantity(const Polynomial& fact) {
  const std::string* found = nullptr;
  for (const auto& [monomial, coefficient] : fact.terms) {
    if (monomial.empty()) {
      if (coefficient > 0) return nullptr;
    } else if (monomial.size() == 1 && coefficient > 0 && found == nullptr) {
      found = &monomial[0];
    } else {
      return nullptr;
    }
  }
  return found;
}

}  // namespace

bool never_negative(const Polynomial& goal, const std::vector<Polynomial>& facts, std::set<std::string> nonnegative) {
  for (const Polynomial& fact : facts) {
    if (const std::string* name = single_quantity(fact)) nonnegative.insert(*name);
  }
  return Search(facts, nonnegative).run(goal, 0);
}

}  // namespace tenon
