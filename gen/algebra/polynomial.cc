// Arithmetic of polynomials.
#include "algebra/polynomial.h"

#include <fmt/format.h>

#include <set>

#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {

Polynomial Polynomial::constant(std::int64_t value) {
  Polynomial p;
  p.add({}, value);
  return p;
}

Polynomial Polynomial::quantity(const std::string& name) { return quantity(QuantityName(name)); }

Polynomial Polynomial::quantity(QuantityName name) {
  Polynomial p;
  p.terms.emplace_back(Monomial(std::move(name)), 1);
  return p;
}

std::int64_t Polynomial::constant_value() const {
  return !terms.empty() && terms.front().first.empty() ? terms.front().second : 0;
}

void Polynomial::add(const Monomial& monomial, std::int64_t coefficient) {
  if (coefficient == 0) return;
  auto at = std::lower_bound(terms.begin(), terms.end(), monomial,
                             [](const Term& term, const Monomial& m) { return term.first < m; });
  if (at == terms.end() || at->first != monomial) at = terms.insert(at, {monomial, 0});
  std::int64_t sum = 0;
  const bool wrapped = __builtin_add_overflow(at->second, coefficient, &sum) || too_large(sum);
  if (wrapped || terms.size() > kMostTerms) overflowed = true;
  at->second = wrapped ? 1 : sum;
  if (at->second == 0) terms.erase(at);
}

std::vector<std::string> Polynomial::quantities() const {
  std::set<std::string> names;
  for (const auto& [monomial, coefficient] : terms)
    for (const QuantityName& name : monomial) names.insert(name.text());
  return {names.begin(), names.end()};
}

Polynomial operator-(const Polynomial& a) {
  Polynomial result = a;
  for (auto& [monomial, coefficient] : result.terms) coefficient = -coefficient;
  return result;
}

namespace {

/// a + sign·b, by merging.
Polynomial sum(const Polynomial& a, const Polynomial& b, std::int64_t sign) {
  Polynomial result;
  result.overflowed = a.overflowed || b.overflowed;
  result.terms.reserve(a.terms.size() + b.terms.size());
  auto x = a.terms.begin();
  auto y = b.terms.begin();
  while (x != a.terms.end() && y != b.terms.end()) {
    const auto order = x->first <=> y->first;
    if (order < 0) result.terms.push_back(*x++);
    else if (order > 0) result.terms.emplace_back(y->first, sign * y->second), ++y;
    else {
      std::int64_t c = 0;
      const bool wrapped = __builtin_add_overflow(x->second, sign * y->second, &c) || too_large(c);
      if (wrapped) result.overflowed = true;
      if (wrapped || c != 0) result.terms.emplace_back(x->first, wrapped ? 1 : c);
      ++x, ++y;
    }
  }
  result.terms.insert(result.terms.end(), x, a.terms.end());
  for (; y != b.terms.end(); ++y) result.terms.emplace_back(y->first, sign * y->second);
  if (result.terms.size() > kMostTerms) result.overflowed = true;
  return result;
}

}  // namespace

Polynomial operator+(const Polynomial& a, const Polynomial& b) { return sum(a, b, 1); }

Polynomial operator-(const Polynomial& a, const Polynomial& b) { return sum(a, b, -1); }

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  Polynomial result;
  result.overflowed = a.overflowed || b.overflowed;
  for (const auto& [m, c] : a.terms) {
    for (const auto& [n, d] : b.terms) {
      std::int64_t coefficient = 0;
      if (__builtin_mul_overflow(c, d, &coefficient) || too_large(coefficient) || m.size() + n.size() > kHighestDegree)
        result.overflowed = true;
      else result.add(m * n, coefficient);
      if (result.overflowed) return result;
    }
  }
  return result;
}

Polynomial replace(const Polynomial& p, const std::string& quantity, const Polynomial& by) {
  return replace(p, QuantityName(quantity), by);
}

Polynomial replace(const Polynomial& p, const QuantityName& quantity, const Polynomial& by) {
  Polynomial result;
  result.overflowed = p.overflowed;
  for (const auto& [monomial, coefficient] : p.terms) {
    if (!contains(monomial, quantity)) {
      result.add(monomial, coefficient);
      continue;
    }
    Polynomial term = Polynomial::constant(coefficient);
    std::vector<QuantityName> rest;
    for (const QuantityName& name : monomial) {
      if (name == quantity) term = term * by;
      else rest.push_back(name);
    }
    Polynomial factor;
    factor.add(Monomial::product(std::move(rest)), 1);
    result = result + term * factor;
  }
  return result;
}

PolynomialDivision divide(const Polynomial& a, const Polynomial& b) {
  PolynomialDivision out;
  if (b.terms.size() != 1) {
    (a == b ? out.quotient : out.rest) = a == b ? Polynomial::constant(1) : a;
    return out;
  }
  const auto& [by, times] = *b.terms.begin();
  for (const auto& [monomial, coefficient] : a.terms) {
    Monomial rest;
    if (coefficient % times == 0 && divide(monomial, by, rest)) out.quotient.add(rest, coefficient / times);
    else out.rest.add(monomial, coefficient);
  }
  return out;
}

std::vector<Polynomial> comparison_facts(ScalarOp op, const Polynomial& a, const Polynomial& b) {
  const Polynomial up = b - a, one = Polynomial::constant(1);
  switch (op) {
    case ScalarOp::Lt: return {up - one};
    case ScalarOp::Le: return {up};
    case ScalarOp::Gt: return {-up - one};
    case ScalarOp::Ge: return {-up};
    case ScalarOp::Eq: return {up, -up};
    default: return {};
  }
}

Polynomial divided(Polynomial p, std::int64_t by) {
  for (auto& [monomial, coefficient] : p.terms) coefficient /= by;
  return p;
}

std::string print(const Polynomial& p) {
  std::string out;
  const auto add = [&](const Monomial& monomial, std::int64_t coefficient) {
    const std::int64_t size = coefficient < 0 ? -coefficient : coefficient;
    out += out.empty() ? (coefficient < 0 ? "-" : "") : (coefficient < 0 ? " - " : " + ");
    const std::vector<std::string> names = mapped(monomial, [&](const QuantityName& name) { return name.text(); });
    const std::string product = joined(names, "*");
    out += monomial.empty() ? fmt::format("{}", size) : size == 1 ? product : fmt::format("{}*{}", size, product);
  };
  for (const bool positive : {true, false}) {
    for (const auto& [monomial, coefficient] : p.terms) {
      if (!monomial.empty() && (coefficient > 0) == positive) add(monomial, coefficient);
    }
  }
  if (const std::int64_t rest = p.constant_value(); rest != 0) add({}, rest);
  return out.empty() ? "0" : out;
}

}  // namespace tenon
