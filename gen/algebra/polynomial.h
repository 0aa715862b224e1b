// Polynomials with integer coefficients over named quantities: sizes, attributes, index variables. The form in which
// indices are compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "algebra/monomial.h"
#include "ir/number/scalar_op.h"

namespace tenon {

/// Sum of coefficient × monomial; zero coefficients are left out. Once a coefficient leaves 62 bits the polynomial is
/// `overflowed` and says nothing.
struct Polynomial {
  using Term = std::pair<Monomial, std::int64_t>;
  std::vector<Term> terms;  ///< in the order of the monomials
  bool overflowed = false;

  static Polynomial constant(std::int64_t value);
  static Polynomial quantity(const std::string& name);
  static Polynomial quantity(QuantityName name);

  bool is_constant() const { return terms.empty() || (terms.size() == 1 && terms.begin()->first.empty()); }
  std::int64_t constant_value() const;
  /// Adds coefficient × monomial.
  void add(const Monomial& monomial, std::int64_t coefficient);
  /// Names of all quantities, sorted, once each.
  std::vector<std::string> quantities() const;

  bool operator==(const Polynomial& other) const = default;
};

Polynomial operator+(const Polynomial& a, const Polynomial& b);
Polynomial operator-(const Polynomial& a, const Polynomial& b);
Polynomial operator*(const Polynomial& a, const Polynomial& b);
Polynomial operator-(const Polynomial& a);
/// Each coefficient by a number that divides all of them.
Polynomial divided(Polynomial p, std::int64_t by);

/// `p` with every occurrence of a quantity replaced.
Polynomial replace(const Polynomial& p, const QuantityName& quantity, const Polynomial& by);
Polynomial replace(const Polynomial& p, const std::string& quantity, const Polynomial& by);

/// a = b·quotient + rest, where no term of `rest` is a multiple of b.
struct PolynomialDivision {
  Polynomial quotient, rest;
};
PolynomialDivision divide(const Polynomial& a, const Polynomial& b);

/// What a comparison of integers says: polynomials that are never negative. None of an operation that says nothing.
std::vector<Polynomial> comparison_facts(ScalarOp op, const Polynomial& a, const Polynomial& b);

/// "2*N - i + 1"
std::string print(const Polynomial& p);

/// The limits of exact arithmetic: larger values count as overflow and prove nothing.
constexpr std::int64_t kLargestCoefficient = std::int64_t{1} << 62;
constexpr std::size_t kMostTerms = 256;
constexpr std::size_t kHighestDegree = 16;

inline bool too_large(std::int64_t coefficient) {
  return coefficient > kLargestCoefficient || coefficient < -kLargestCoefficient;
}

/// True if `goal` is found to be a sum of products of facts (each >= 0), nonnegative quantities and nonnegative
/// numbers. `nonnegative` are quantities known to be >= 0; facts of the form q - c >= 0 add to them. `steps` bounds the
/// number of facts used.
bool never_negative(const Polynomial& goal, const std::vector<Polynomial>& facts, std::set<std::string> nonnegative,
                    int steps = 7);

}  // namespace tenon
