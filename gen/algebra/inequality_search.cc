// Each step cancels a term of the goal that is or may be negative, using a fact that has a term of the same sign
// dividing it. Iterative deepening finds short proofs, which nearly all are, before exploring long dead ends.
#include <optional>
#include <utility>

#include "algebra/polynomial.h"
#include "support/ranges.h"

namespace tenon {

namespace {

constexpr int kBudget = 1500;  // goals looked at in one depth

/// A monomial of numbered quantities, in ascending order. A string, because a short one is in place.
using Product = std::u16string;
using Term = std::pair<Product, std::int64_t>;

/// A polynomial whose quantities are numbered: terms in ascending order, none of them 0.
struct Sum {
  std::vector<Term> terms;
  bool overflowed = false;
};

/// Numbers quantities in the order of their names, so that terms keep their order.
class Numbers {
 public:
  Numbers(const Polynomial& goal, const std::vector<Polynomial>& facts) {
    note(goal);
    for (const Polynomial& fact : facts) note(fact);
    sort(names_);
    names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
  }

  const std::vector<QuantityName>& names() const { return names_; }
  bool fit() const { return names_.size() < 65536; }

  Sum sum(const Polynomial& p) const {
    Sum out{{}, p.overflowed};
    for (const auto& [monomial, coefficient] : p.terms) {
      Product product;
      for (const QuantityName& name : monomial) product.push_back(number_of(name));
      out.terms.emplace_back(std::move(product), coefficient);
    }
    return out;
  }

 private:
  void note(const Polynomial& p) {
    for (const auto& [monomial, coefficient] : p.terms) append(names_, monomial);
  }
  char16_t number_of(const QuantityName& name) const {
    return static_cast<char16_t>(std::lower_bound(names_.begin(), names_.end(), name) - names_.begin());
  }

  std::vector<QuantityName> names_;
};

/// Stores a·b in `out`; false if it exceeds 62 bits.
bool multiply(std::int64_t a, std::int64_t b, std::int64_t& out) {
  return !__builtin_mul_overflow(a, b, &out) && !too_large(out);
}

/// a·x − b·m·y.
Sum combined(const Sum& x, std::int64_t a, const Sum& y, std::int64_t b, const Product& m) {
  Sum out{{}, x.overflowed || y.overflowed};
  std::vector<Term> less;
  for (const auto& [product, coefficient] : y.terms) {
    Term term{product + m, 0};
    std::inplace_merge(term.first.begin(), term.first.end() - static_cast<std::ptrdiff_t>(m.size()), term.first.end());
    if (!multiply(coefficient, -b, term.second) || term.first.size() > kHighestDegree) out.overflowed = true;
    less.push_back(std::move(term));
  }
  sort(less, [](const Term& p, const Term& q) { return p.first < q.first; });
  auto next = less.begin();
  const auto add = [&](const Product& product, std::int64_t coefficient) {
    if (coefficient != 0) out.terms.emplace_back(product, coefficient);
  };
  for (const auto& [product, coefficient] : x.terms) {
    for (; next != less.end() && next->first < product; ++next) add(next->first, next->second);
    std::int64_t sum = 0;
    if (!multiply(coefficient, a, sum)) out.overflowed = true;
    if (next != less.end() && next->first == product) {
      if (__builtin_add_overflow(sum, next->second, &sum) || too_large(sum)) out.overflowed = true;
      ++next;
    }
    add(product, sum);
  }
  for (; next != less.end(); ++next) add(next->first, next->second);
  if (out.terms.size() > kMostTerms) out.overflowed = true;
  return out;
}

/// A value for each quantity, by number; none is negative.
using Point = std::vector<double>;

/// Nothing where the sum has overflowed or a double would round.
std::optional<double> value_at(const Sum& sum, const Point& at) {
  constexpr double kExact = 4503599627370496.0;  // 2^52
  if (sum.overflowed) return std::nullopt;
  double value = 0, size = 0;
  for (const auto& [product, coefficient] : sum.terms) {
    double term = static_cast<double>(coefficient);
    for (const char16_t quantity : product) term *= at[quantity];
    value += term;
    size += term < 0 ? -term : term;
    if (size > kExact) return std::nullopt;
  }
  return value;
}

class Search {
 public:
  Search(const Numbers& numbers, const std::vector<Polynomial>& facts, const std::set<std::string>& nonnegative) {
    for (const Polynomial& fact : facts) facts_.push_back(numbers.sum(fact));
    for (const QuantityName& name : numbers.names()) nonnegative_.push_back(nonnegative.count(name.text()) != 0);
  }

  bool run(const Sum& goal, int steps) {
    if (refuted(goal)) return false;
    for (int depth = 0; depth <= steps; ++depth) {
      budget_ = kBudget;
      cut_ = false;
      seen_.clear();
      if (step(goal, depth)) return true;
      if (!cut_) return false;  // the search was exhaustive
    }
    return false;
  }

 private:
  /// Whether the goal is negative at one of a few points where every fact holds. Then there is no proof, and the
  /// search, which takes far longer to fail than to succeed, can be skipped.
  bool refuted(const Sum& goal) const {
    std::set<char16_t> varied;
    for (const Term& term : goal.terms) varied.insert(term.first.begin(), term.first.end());
    for (const double base : {1.0, 0.0, 2.0}) {
      Point at(nonnegative_.size(), base);
      if (refutes(goal, at)) return true;
      for (const char16_t quantity : varied) {
        for (const double value : {0.0, 100.0}) {
          at[quantity] = value;
          if (refutes(goal, at)) return true;
        }
        at[quantity] = base;
      }
    }
    return false;
  }

  bool refutes(const Sum& goal, const Point& at) const {
    const std::optional<double> value = value_at(goal, at);
    return value && *value < 0 && all_of(facts_, [&](const Sum& fact) {
             const std::optional<double> known = value_at(fact, at);
             return fact.overflowed || (known && *known >= 0);
           });
  }

  bool step(const Sum& goal, int depth) {
    if (goal.overflowed || --budget_ < 0) return false;
    const Term* negative = worst(goal);
    if (negative == nullptr) return true;
    if (depth == 0) cut_ = true;
    if (depth == 0 || !seen_.insert({goal.terms, depth}).second) return false;
    if (cancel_by_any(goal, *negative, depth)) return true;
    // A negative constant may need a lower bound of another term: N - 1 >= 0 follows from N + 1 >= 2*q and q >= 1.
    if (!negative->first.empty()) return false;
    return any_of(goal.terms, [&](const Term& t) { return t.first.size() == 1 && cancel_by_any(goal, t, depth); });
  }

  bool cancel_by_any(const Sum& goal, const Term& of_goal, int depth) {
    for (const Sum& fact : facts_) {
      for (const Term& term : fact.terms) {
        if (cancel(goal, of_goal, fact, term, depth)) return true;
      }
    }
    return false;
  }

  bool harmless(const Term& term) const { return term.second >= 0 && nonnegative_product(term.first); }

  bool nonnegative_product(const Product& product) const {
    for (std::size_t i = 0; i < product.size(); ++i) {
      if (nonnegative_[product[i]]) continue;
      if (i + 1 == product.size() || product[i + 1] != product[i]) return false;
      ++i;  // a square
    }
    return true;
  }

  /// The obstructing term of the highest degree. A constant comes last, because eliminating any other may change it.
  const Term* worst(const Sum& goal) const {
    const Term* found = nullptr;
    for (const Term& term : goal.terms) {
      if (!harmless(term) && (found == nullptr || term.first.size() > found->first.size())) found = &term;
    }
    return found;
  }

  /// |c'|·goal − |c|·m·fact, in which the term c·(m·t') of the goal has gone, as the fact has c'·t' with the same sign.
  bool cancel(const Sum& goal, const Term& term, const Sum& fact, const Term& in_fact, int depth) {
    if ((term.second > 0) != (in_fact.second > 0) ||
        !std::includes(term.first.begin(), term.first.end(), in_fact.first.begin(), in_fact.first.end()))
      return false;
    Product factor;
    std::set_difference(term.first.begin(), term.first.end(), in_fact.first.begin(), in_fact.first.end(),
                        std::back_inserter(factor));
    if (!nonnegative_product(factor)) return false;
    const std::int64_t sign = term.second > 0 ? 1 : -1;
    Sum next = combined(goal, sign * in_fact.second, fact, sign * term.second, factor);
    divide_content(next);
    return step(next, depth - 1);
  }

  /// Keeps coefficients small.
  static void divide_content(Sum& p) {
    std::int64_t content = 0;
    for (const auto& [product, coefficient] : p.terms) {
      std::int64_t a = content, b = coefficient < 0 ? -coefficient : coefficient;
      while (b != 0) std::swap(a %= b, b);
      content = a;
      if (content == 1) return;
    }
    if (content <= 1) return;
    for (auto& [product, coefficient] : p.terms) coefficient /= content;
  }

  std::vector<Sum> facts_;
  std::vector<bool> nonnegative_;  ///< by number
  std::set<std::pair<std::vector<Term>, int>> seen_;
  int budget_ = 0;
  bool cut_ = false;
};

/// q if the fact is a·q − c >= 0 with a > 0, c >= 0.
const std::string* single_quantity(const Polynomial& fact) {
  const std::string* found = nullptr;
  for (const auto& [monomial, coefficient] : fact.terms) {
    if (monomial.empty()) {
      if (coefficient > 0) return nullptr;
    } else if (monomial.size() == 1 && coefficient > 0 && found == nullptr) {
      found = &monomial[0].text();
    } else {
      return nullptr;
    }
  }
  return found;
}

}  // namespace

bool never_negative(const Polynomial& goal, const std::vector<Polynomial>& facts, std::set<std::string> nonnegative,
                    int steps) {
  for (const Polynomial& fact : facts) {
    if (const std::string* name = single_quantity(fact)) nonnegative.insert(*name);
  }
  const Numbers numbers(goal, facts);
  return numbers.fit() && Search(numbers, facts, nonnegative).run(numbers.sum(goal), steps);
}

}  // namespace tenon
