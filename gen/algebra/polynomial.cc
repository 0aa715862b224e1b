// Arithmetic of polynomials.
#include "algebra/polynomial.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "algebra/polynomial_limits.h"
#include "support/joined.h"

namespace tenon {

Polynomial Polynomial::constant(std::int64_t value) {
  Polynomial p;
  p.add({}, value);
  return p;
}

Polynomial Polynomial::quantity(const std::string& name) {
  Polynomial p;
  p.terms[{name}] = 1;
  return p;
}

std::int64_t Polynomial::constant_value() const {
  const auto found = terms.find({});
  return found == terms.end() ? 0 : found->second;
}

void Polynomial::add(const Monomial& monomial, std::int64_t coefficient) {
  if (coefficient == 0) return;
  const auto [at, fresh] = terms.emplace(monomial, 0);
  std::int64_t sum = 0;
  const bool wrapped = __builtin_add_overflow(at->second, coefficient, &sum) || too_large(sum);
  if (wrapped || terms.size() > kMostTerms) overflowed = true;
  at->second = wrapped ? 1 : sum;
  if (at->second == 0) terms.erase(at);
}

std::vector<std::string> Polynomial::quantities() const {
  std::set<std::string> names;
  for (const auto& [monomial, coefficient] : terms) names.insert(monomial.begin(), monomial.end());
  return {names.begin(), names.end()};
}

Polynomial operator-(const Polynomial& a) {
  Polynomial result = a;
  for (auto& [monomial, coefficient] : result.terms) coefficient = -coefficient;
  return result;
}

Polynomial operator+(const Polynomial& a, const Polynomial& b) {
  Polynomial result = a;
  for (const auto& [monomial, coefficient] : b.terms) result.add(monomial, coefficient);
  result.overflowed |= b.overflowed;
  return result;
}

Polynomial operator-(const Polynomial& a, const Polynomial& b) { return a + -b; }

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  Polynomial result;
  result.overflowed = a.overflowed || b.overflowed;
  for (const auto& [m, c] : a.terms) {
    for (const auto& [n, d] : b.terms) {
      Monomial product = m;
      product.insert(product.end(), n.begin(), n.end());
      std::sort(product.begin(), product.end());
      std::int64_t coefficient = 0;
      if (__builtin_mul_overflow(c, d, &coefficient) || too_large(coefficient) || product.size() > kHighestDegree)
        result.overflowed = true;
      else result.add(product, coefficient);
      if (result.overflowed) return result;
    }
  }
  return result;
}

Polynomial replace(const Polynomial& p, const std::string& quantity, const Polynomial& by) {
  Polynomial result;
  result.overflowed = p.overflowed;
  for (const auto& [monomial, coefficient] : p.terms) {
    Polynomial term = Polynomial::constant(coefficient);
    Monomial rest;
    for (const std::string& name : monomial) {
      if (name == quantity) term = term * by;
      else rest.push_back(name);
    }
    Polynomial factor;
    factor.add(rest, 1);
    result = result + term * factor;
  }
  return result;
}

bool divide(const Monomial& a, const Monomial& b, Monomial& quotient) {
  if (!std::includes(a.begin(), a.end(), b.begin(), b.end())) return false;
  quotient.clear();
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(quotient));
  return true;
}

std::string print(const Polynomial& p) {
  std::string out;
  const auto add = [&](const Monomial& monomial, std::int64_t coefficient) {
    const std::int64_t size = coefficient < 0 ? -coefficient : coefficient;
    out += out.empty() ? (coefficient < 0 ? "-" : "") : (coefficient < 0 ? " - " : " + ");
    const std::string product = joined(monomial, "*");
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
