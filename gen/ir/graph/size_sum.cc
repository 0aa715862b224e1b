// Sums of products of extents: their terms in one order, sums, products and quotients.
#include "ir/graph/size_sum.h"

#include <limits>
#include <numeric>

#include "ir/number/interval.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon::size_sum {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

std::string key_of(const Atoms& atoms) {
  std::string key;
  for (const SizeExpr& a : atoms) key += to_text(a) + "*";
  return key;
}

Term make_term(Atoms atoms, int64_t coefficient) {
  stable_sort(atoms, [](const SizeExpr& a, const SizeExpr& b) { return to_text(a) < to_text(b); });
  std::string key = key_of(atoms);
  return {std::move(key), std::move(atoms), coefficient};
}

void accumulate(Sum& sum, Term term) {
  for (Term& t : sum)
    if (t.key == term.key) {
      t.coefficient = saturating_add(t.coefficient, term.coefficient);
      return;
    }
  sum.push_back(std::move(term));
}

// `term` divided by the product of `divisor`'s atoms; empty if one of them does not occur in it.
std::optional<Term> without_atoms(Term term, const Atoms& divisor) {
  for (const SizeExpr& d : divisor) {
    auto it = std::find(term.atoms.begin(), term.atoms.end(), d);
    if (it == term.atoms.end()) return std::nullopt;
    term.atoms.erase(it);
  }
  return make_term(std::move(term.atoms), term.coefficient);
}

// An order of terms that multiplication by a term keeps: by the number of factors, then by their spelling.
bool is_lower(const Term& a, const Term& b) {
  if (a.atoms.size() != b.atoms.size()) return a.atoms.size() < b.atoms.size();
  for (size_t i = 0; i < a.atoms.size(); ++i)
    if (!(a.atoms[i] == b.atoms[i])) return to_text(a.atoms[i]) > to_text(b.atoms[i]);
  return false;
}

constexpr int64_t kMostFactor = int64_t{1} << 31;  // products of two of them are far from saturated
bool is_large(const Term& t) { return t.coefficient > kMostFactor || t.coefficient < -kMostFactor; }

}  // namespace

int64_t saturating_add(int64_t a, int64_t b) {
  int64_t r = 0;
  if (__builtin_add_overflow(a, b, &r)) return a < 0 ? kMin : kMax;
  return r;
}

int64_t saturating_mul(int64_t a, int64_t b) {
  int64_t r = 0;
  if (__builtin_mul_overflow(a, b, &r)) return (a < 0) != (b < 0) ? kMin : kMax;
  return r;
}

Sum times(const Sum& a, const Sum& b) {
  Sum result;
  for (const Term& x : a)
    for (const Term& y : b) {
      Atoms atoms = concat(x.atoms, y.atoms);
      accumulate(result, make_term(std::move(atoms), saturating_mul(x.coefficient, y.coefficient)));
    }
  return result;
}

Sum to_sum(const SizeExpr& e) {
  Sum result;
  if (e.is_constant()) {
    result.push_back(make_term({}, e.value));
  } else if (e.op == ScalarOp::Add) {
    for (const SizeExpr& a : e.args)
      for (Term& t : to_sum(a)) accumulate(result, std::move(t));
  } else if (e.op == ScalarOp::Mul) {
    result.push_back(make_term({}, 1));
    for (const SizeExpr& a : e.args) result = times(result, to_sum(a));
  } else {
    result.push_back(make_term({e}, 1));
  }
  return result;
}

SizeExpr node(ScalarOp op, std::vector<SizeExpr> args) {
  SizeExpr e;
  e.op = op;
  e.args = std::move(args);
  return e;
}

SizeExpr from_term(const Term& term) {
  if (term.atoms.empty()) return term.coefficient;
  std::vector<SizeExpr> factors;
  if (term.coefficient != 1) factors.emplace_back(term.coefficient);
  append(factors, term.atoms);
  return factors.size() == 1 ? factors[0] : node(ScalarOp::Mul, std::move(factors));
}

SizeExpr from_sum(Sum sum) {
  std::erase_if(sum, [](const Term& t) { return t.coefficient == 0; });
  if (sum.empty()) return 0;
  stable_sort(
      sum, [](const Term& a, const Term& b) { return a.key.empty() != b.key.empty() ? b.key.empty() : a.key < b.key; });
  if (sum.size() == 1) return from_term(sum[0]);
  std::vector<SizeExpr> terms = mapped(sum, [&](const Term& t) { return from_term(t); });
  return node(ScalarOp::Add, std::move(terms));
}

Division split_by(const Sum& sum, const Term& divisor) {
  Division result;
  for (const Term& t : sum) {
    std::optional<Term> q = without_atoms(t, divisor.atoms);
    if (!q || (!divisor.atoms.empty() && t.coefficient % divisor.coefficient != 0)) {
      result.rest.push_back(t);
      continue;
    }
    const int64_t whole = floor_quotient(t.coefficient, divisor.coefficient);
    const int64_t left = t.coefficient - whole * divisor.coefficient;
    // Only the constant is split into a multiple and a remainder: N//2 stays N//2.
    if (left != 0 && !t.atoms.empty()) {
      result.rest.push_back(t);
      continue;
    }
    q->coefficient = whole;
    result.quotient.push_back(*q);
    if (left != 0) result.rest.push_back(make_term({}, left));
  }
  return result;
}

void cancel(Sum& sum, Term& divisor) {
  for (const SizeExpr& factor : Atoms(divisor.atoms)) {
    const auto has = [&](const Term& t) { return contains(t.atoms, factor); };
    if (!all_of(sum, has)) continue;
    for (Term& t : sum) t = *without_atoms(std::move(t), {factor});
    divisor = *without_atoms(std::move(divisor), {factor});
  }
  int64_t common = divisor.coefficient;
  for (const Term& t : sum) common = std::gcd(common, t.coefficient);
  for (Term& t : sum) t.coefficient /= common;
  divisor.coefficient /= common;
}

Term common_term(const Sum& a, const Sum& b) {
  Term common = b[0];
  for (const Sum* sum : {&a, &b})
    for (const Term& t : *sum) {
      common.coefficient = std::gcd(common.coefficient, t.coefficient);
      Atoms shared, left = t.atoms;
      for (const SizeExpr& atom : common.atoms)
        if (const auto it = std::find(left.begin(), left.end(), atom); it != left.end()) {
          shared.push_back(atom);
          left.erase(it);
        }
      common.atoms = std::move(shared);
    }
  return make_term(std::move(common.atoms), common.coefficient);
}

Sum divided(Sum sum, const Term& by) {
  for (Term& t : sum) {
    t.coefficient /= by.coefficient;
    t = *without_atoms(std::move(t), by.atoms);
  }
  return sum;
}

std::optional<Sum> exact_quotient(Sum rest, const Sum& divisor) {
  constexpr int kMostTerms = 64;
  const Term& lead = *std::max_element(divisor.begin(), divisor.end(), is_lower);
  Sum quotient;
  while (quotient.size() < kMostTerms) {
    std::erase_if(rest, [](const Term& t) { return t.coefficient == 0; });
    if (rest.empty()) return quotient;
    if (any_of(rest, is_large) || any_of(divisor, is_large)) return std::nullopt;
    const Term top = *std::max_element(rest.begin(), rest.end(), is_lower);
    std::optional<Term> q = without_atoms(top, lead.atoms);
    if (!q || top.coefficient % lead.coefficient != 0) return std::nullopt;
    q->coefficient = -(top.coefficient / lead.coefficient);
    for (Term& t : times({*q}, divisor)) accumulate(rest, std::move(t));
    q->coefficient = -q->coefficient;
    quotient.push_back(*std::move(q));
  }
  return std::nullopt;
}

std::optional<Flattened> flattened(ScalarOp op, const Sum& sum, int64_t divisor) {
  const auto nested = [&](const Term& t) {
    if (t.atoms.size() != 1 || t.atoms[0].op != op || !t.atoms[0].args[1].is_constant()) return false;
    const int64_t inner = t.atoms[0].args[1].value;
    return inner > 0 && inner <= kMostFactor && (op == ScalarOp::Mod ? inner % divisor == 0 : t.coefficient == 1);
  };
  const auto at = find_if(sum, nested);
  if (at == sum.end() || std::count_if(sum.begin(), sum.end(), nested) > 1) return std::nullopt;
  if (divisor > kMostFactor || any_of(sum, is_large) || any_of(to_sum(at->atoms[0].args[0]), is_large))
    return std::nullopt;
  const int64_t inner = op == ScalarOp::Mod ? 1 : at->atoms[0].args[1].value;
  SizeExpr dividend = SizeExpr(at->coefficient) * at->atoms[0].args[0];
  for (const Term& t : sum)
    if (t.key != at->key) dividend = dividend + SizeExpr(inner) * from_term(t);
  return Flattened{std::move(dividend), inner * divisor};
}

}  // namespace tenon::size_sum
