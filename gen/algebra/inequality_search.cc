// Each step cancels a term of the goal that is negative, or may be, with a fact that has a term of the same sign dividing it.
// Deepening by steps: short proofs, which nearly all are, are found before long wrong ways are walked.
#include "algebra/inequality_search.h"

#include <algorithm>
#include <utility>

namespace tenon {

namespace {

constexpr int kBudget = 1500;  // goals looked at in one depth

class Search {
 public:
  Search(const std::vector<Polynomial> &facts, const std::set<std::string> &nonnegative)
      : facts_(facts), nonnegative_(nonnegative) {}

  bool run(const Polynomial &goal, int steps) {
    for (int depth = 0; depth <= steps; ++depth) {
      budget_ = kBudget;
      cut_ = false;
      seen_.clear();
      if (step(goal, depth)) return true;
      if (!cut_) return false;  // nothing lies deeper
    }
    return false;
  }

 private:
  bool step(const Polynomial &goal, int depth) {
    if (goal.overflowed || --budget_ < 0) return false;
    const auto negative = worst(goal);
    if (negative == goal.terms.end()) return true;
    if (depth == 0) cut_ = true;
    if (depth == 0 || !seen_.insert({goal.terms, depth}).second) return false;
    for (const Polynomial &fact : facts_) {
      for (const auto &[monomial, coefficient] : fact.terms) {
        if (cancel(goal, *negative, fact, {monomial, coefficient}, depth)) return true;
      }
    }
    return false;
  }

  using Term = std::pair<const Monomial, std::int64_t>;

  bool harmless(const Term &term) const {
    if (term.second < 0) return false;
    return nonnegative_monomial(term.first);
  }

  bool nonnegative_monomial(const Monomial &monomial) const {
    for (std::size_t i = 0; i < monomial.size(); ++i) {
      if (nonnegative_.count(monomial[i]) != 0) continue;
      if (i + 1 == monomial.size() || monomial[i + 1] != monomial[i]) return false;
      ++i;  // a square
    }
    return true;
  }

  /// The term that stands most in the way: of the highest degree. A constant comes last, as every other step may change it.
  std::map<Monomial, std::int64_t>::const_iterator worst(const Polynomial &goal) const {
    auto found = goal.terms.end();
    for (auto at = goal.terms.begin(); at != goal.terms.end(); ++at) {
      if (!harmless(*at) && (found == goal.terms.end() || at->first.size() > found->first.size())) found = at;
    }
    return found;
  }

  /// |c'|·goal − |c|·m·fact, in which the term c·(m·t') of the goal has gone, as the fact has c'·t' with the same sign.
  bool cancel(const Polynomial &goal, const Term &term, const Polynomial &fact, const Term &in_fact, int depth) {
    Monomial factor;
    if ((term.second > 0) != (in_fact.second > 0) || !divide(term.first, in_fact.first, factor) || !nonnegative_monomial(factor))
      return false;
    const std::int64_t sign = term.second > 0 ? 1 : -1;
    Polynomial multiple;
    multiple.add(factor, sign * term.second);
    Polynomial next = goal * Polynomial::constant(sign * in_fact.second) - multiple * fact;
    divide_content(next);
    return step(next, depth - 1);
  }

  /// Keeps coefficients small.
  static void divide_content(Polynomial &p) {
    std::int64_t content = 0;
    for (const auto &[monomial, coefficient] : p.terms) {
      std::int64_t a = content, b = coefficient < 0 ? -coefficient : coefficient;
      while (b != 0) std::swap(a %= b, b);
      content = a;
    }
    if (content <= 1) return;
    for (auto &[monomial, coefficient] : p.terms) coefficient /= content;
  }

  const std::vector<Polynomial> &facts_;
  const std::set<std::string> &nonnegative_;
  std::set<std::pair<std::map<Monomial, std::int64_t>, int>> seen_;
  int budget_ = 0;
  bool cut_ = false;
};

/// q if the fact is a·q − c >= 0 with a > 0, c >= 0.
const std::string *single_quantity(const Polynomial &fact) {
  const std::string *found = nullptr;
  for (const auto &[monomial, coefficient] : fact.terms) {
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

bool never_negative(const Polynomial &goal, const std::vector<Polynomial> &facts, std::set<std::string> nonnegative, int steps) {
  for (const Polynomial &fact : facts) {
    if (const std::string *name = single_quantity(fact)) nonnegative.insert(*name);
  }
  return Search(facts, nonnegative).run(goal, steps);
}

}  // namespace tenon
