// Arithmetic on extents: sums of products in one order, so that equal linear extents compare equal.
#include "ir/graph/size_expr.h"

#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "ir/number/interval.h"
#include "support/check.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

// Saturation keeps an absurdly large extent absurdly large; allocation then refuses it.
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

int64_t floor_remainder(int64_t a, int64_t b) { return *compute(ScalarOp::Mod, a, b); }

// A product of atoms (names, quotients, remainders, minima, maxima) in the order of their spelling.
using Atoms = std::vector<SizeExpr>;
struct Term {
  std::string key;
  Atoms atoms;
  int64_t coefficient = 0;
};
// Terms with non-zero coefficients in the order of their keys; the constant's key is empty and comes last.
using Sum = std::vector<Term>;

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

// `term` divided by the product of `divisor`'s atoms; empty if one of them does not occur in it.
std::optional<Term> without_atoms(Term term, const Atoms& divisor) {
  for (const SizeExpr& d : divisor) {
    auto it = std::find(term.atoms.begin(), term.atoms.end(), d);
    if (it == term.atoms.end()) return std::nullopt;
    term.atoms.erase(it);
  }
  return make_term(std::move(term.atoms), term.coefficient);
}

struct Division {
  Sum quotient;  // terms that the divisor divides, divided
  Sum rest;      // the others, as they are
};

// floor((d*q + r)/d) = q + floor(r/d): extracts the terms that `divisor` (one term) divides exactly.
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

// floor((x*r)/(x*d)) = floor(r/d): removes the factors that the divisor and all terms of the dividend have.
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

// The largest term that divides all terms of both sums.
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

// An order of terms that multiplication by a term keeps: by the number of factors, then by their spelling.
bool is_lower(const Term& a, const Term& b) {
  if (a.atoms.size() != b.atoms.size()) return a.atoms.size() < b.atoms.size();
  for (size_t i = 0; i < a.atoms.size(); ++i)
    if (!(a.atoms[i] == b.atoms[i])) return to_text(a.atoms[i]) > to_text(b.atoms[i]);
  return false;
}

constexpr int64_t kMostFactor = int64_t{1} << 31;  // products of two of them are far from saturated
bool is_large(const Term& t) { return t.coefficient > kMostFactor || t.coefficient < -kMostFactor; }

// The exact quotient `rest` / `divisor`, by long division; empty if there is a remainder.
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

// floor((s + floor(x/d))/c) = floor((s*d + x)/(c*d)), and ((s + x mod (k*d)) mod d) = (s + x) mod d: the dividend and
// the divisor without the quotient or remainder in `sum`; none if there is not exactly one.
struct Flattened {
  SizeExpr dividend, divisor;
};
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

int precedence(const SizeExpr& e) {
  return e.op == ScalarOp::Add ? 1 : !e.op || e.op == ScalarOp::Min || e.op == ScalarOp::Max ? 3 : 2;
}

std::string operand_text(const SizeExpr& e, int at_least) {
  const bool bare = precedence(e) >= at_least && !(e.is_constant() && e.value < 0);
  return bare ? to_text(e) : "(" + to_text(e) + ")";
}

std::string sum_text(const SizeExpr& e) {
  std::string text = to_text(e.args[0]);
  for (size_t i = 1; i < e.args.size(); ++i) {
    const std::string term = to_text(e.args[i]);
    text += term[0] == '-' ? " - " + term.substr(1) : " + " + term;
  }
  return text;
}

std::string product_text(const SizeExpr& e) {
  std::string text;
  size_t first = 0;
  if (e.args[0].is(-1)) {
    text = "-";
    first = 1;
  } else if (e.args[0].is_constant()) {
    text = to_text(e.args[0]) + "*";
    first = 1;
  }
  for (size_t i = first; i < e.args.size(); ++i) text += (i > first ? "*" : "") + operand_text(e.args[i], 3);
  return text;
}

template <class F>
SizeExpr rebuild(const SizeExpr& e, const F& leaf) {
  if (!e.op) return leaf(e);
  SizeExpr r = rebuild(e.args[0], leaf);
  for (size_t i = 1; i < e.args.size(); ++i) r = *combined(*e.op, r, rebuild(e.args[i], leaf));
  return r;
}

void collect_names(const SizeExpr& e, std::vector<std::string>& names) {
  if (e.is_name() && !contains(names, e.name)) names.push_back(e.name);
  for (const SizeExpr& a : e.args) collect_names(a, names);
}

std::optional<int64_t> apply(ScalarOp op, int64_t a, int64_t b) {
  int64_t r = 0;
  if (op == ScalarOp::Add) return __builtin_add_overflow(a, b, &r) ? std::nullopt : std::optional(r);
  if (op == ScalarOp::Mul) return __builtin_mul_overflow(a, b, &r) ? std::nullopt : std::optional(r);
  return compute(op, a, b);
}

}  // namespace

SizeExpr size_name(std::string name) {
  TENON_CHECK(!name.empty(), "a size without a name");
  SizeExpr e;
  e.name = std::move(name);
  return e;
}

SizeExpr operator+(const SizeExpr& a, const SizeExpr& b) {
  if (a.is_constant() && b.is_constant()) return saturating_add(a.value, b.value);
  return from_sum(to_sum(node(ScalarOp::Add, {a, b})));
}

SizeExpr operator-(const SizeExpr& a, const SizeExpr& b) { return a + SizeExpr(-1) * b; }

SizeExpr operator*(const SizeExpr& a, const SizeExpr& b) {
  if (a.is_constant() && b.is_constant()) return saturating_mul(a.value, b.value);
  return from_sum(times(to_sum(a), to_sum(b)));
}

SizeExpr floor_div(const SizeExpr& a, const SizeExpr& b) {
  if (a.is_constant() && b.is_constant() && b.value != 0) return floor_quotient(a.value, b.value);
  if (b.is(1)) return a;
  if (a == b) return 1;
  Sum dividend = to_sum(a), divisor = to_sum(b);
  if (divisor.size() > 1) {
    const Term content = common_term(divisor, divisor);
    if (const auto quotient = exact_quotient(dividend, divided(divisor, content)))
      return floor_div(from_sum(*quotient), from_term(content));
    const Term common = common_term(dividend, divisor);
    return node(ScalarOp::FloorDiv, {from_sum(divided(dividend, common)), from_sum(divided(divisor, common))});
  }
  if (divisor[0].coefficient <= 0) return node(ScalarOp::FloorDiv, {a, b});
  Division d = split_by(dividend, divisor[0]);
  const SizeExpr quotient = from_sum(std::move(d.quotient));
  if (all_of(d.rest, [](const Term& t) { return t.coefficient == 0; })) return quotient;
  cancel(d.rest, divisor[0]);
  const SizeExpr by = from_term(divisor[0]);
  if (by.is_constant() && by.value > 1)
    if (const auto flat = flattened(ScalarOp::FloorDiv, d.rest, by.value))
      return quotient + floor_div(flat->dividend, flat->divisor);
  const SizeExpr rest = from_sum(std::move(d.rest));
  if (by.is(1)) return quotient + rest;
  if (rest.is_constant() && by.is_constant()) return quotient + floor_quotient(rest.value, by.value);
  return quotient + node(ScalarOp::FloorDiv, {rest, by});
}

SizeExpr floor_mod(const SizeExpr& a, const SizeExpr& b) {
  if (a.is_constant() && b.is_constant() && b.value != 0) return floor_remainder(a.value, b.value);
  if (b.is(1) || a == b) return 0;
  const Sum divisor = to_sum(b);
  if (divisor.size() > 1) {
    const Term content = common_term(divisor, divisor);
    const Sum primitive = divided(divisor, content);
    if (const auto quotient = exact_quotient(to_sum(a), primitive))
      return from_sum(primitive) * floor_mod(from_sum(*quotient), from_term(content));
  }
  if (divisor.size() != 1 || divisor[0].coefficient <= 0) return node(ScalarOp::Mod, {a, b});
  Sum left = split_by(to_sum(a), divisor[0]).rest;
  if (b.is_constant())
    if (const auto flat = flattened(ScalarOp::Mod, left, b.value)) return floor_mod(flat->dividend, b);
  const SizeExpr rest = from_sum(std::move(left));
  if (rest.is_constant() && b.is_constant()) return floor_remainder(rest.value, b.value);
  return rest.is(0) ? rest : node(ScalarOp::Mod, {rest, b});
}

SizeExpr size_min(const SizeExpr& a, const SizeExpr& b) {
  if (a.is_constant() && b.is_constant()) return std::min(a.value, b.value);
  return a == b ? a : node(ScalarOp::Min, {a, b});
}

SizeExpr size_max(const SizeExpr& a, const SizeExpr& b) {
  if (a.is_constant() && b.is_constant()) return std::max(a.value, b.value);
  return a == b ? a : node(ScalarOp::Max, {a, b});
}

std::optional<SizeExpr> combined(ScalarOp op, const SizeExpr& a, const SizeExpr& b) {
  switch (op) {
    case ScalarOp::Add: return a + b;
    case ScalarOp::Sub: return a - b;
    case ScalarOp::Mul: return a * b;
    case ScalarOp::FloorDiv: return floor_div(a, b);
    case ScalarOp::Mod: return floor_mod(a, b);
    case ScalarOp::Min: return size_min(a, b);
    case ScalarOp::Max: return size_max(a, b);
    default: return std::nullopt;
  }
}

std::optional<SizeExpr> at_least(const SizeExpr& most, const SizeExpr& size) {
  if (most.op != ScalarOp::Max) return std::nullopt;
  return most.args[0] == size   ? std::optional(most.args[1])
         : most.args[1] == size ? std::optional(most.args[0])
                                : std::nullopt;
}

std::optional<int64_t> evaluate(const SizeExpr& e, const SizeValues& sizes) {
  if (e.is_constant()) return e.value;
  if (e.is_name()) {
    return lookup(sizes, e.name);
  }
  std::optional<int64_t> r = evaluate(e.args[0], sizes);
  for (size_t i = 1; r && i < e.args.size(); ++i) {
    const std::optional<int64_t> b = evaluate(e.args[i], sizes);
    r = b ? apply(*e.op, *r, *b) : std::nullopt;
  }
  return r;
}

SizeExpr substitute(const SizeExpr& e, const SizeValues& sizes) {
  return rebuild(e, [&](const SizeExpr& leaf) {
    if (!leaf.is_name()) return leaf;
    const auto it = sizes.find(leaf.name);
    return it == sizes.end() ? leaf : SizeExpr(it->second);
  });
}

SizeExpr with_size(const SizeExpr& e, const std::string& name, const SizeExpr& by) {
  return rebuild(e, [&](const SizeExpr& leaf) { return leaf.is_name() && leaf.name == name ? by : leaf; });
}

SizeExpr product(const std::vector<SizeExpr>& dims) {
  SizeExpr r = 1;
  for (const SizeExpr& d : dims) r = r * d;
  return r;
}

std::string to_text(const std::vector<SizeExpr>& dims) {
  return joined(dims, ", ", [](const SizeExpr& d) { return to_text(d); });
}

std::string to_text(const SizeExpr& e) {
  if (!e.op) return e.is_name() ? e.name : fmt::format("{}", e.value);
  if (e.op == ScalarOp::Add) return sum_text(e);
  if (e.op == ScalarOp::Mul) return product_text(e);
  const ScalarOpRow& row = scalar_op_row(*e.op);
  if (row.sign.empty()) return fmt::format("{}({}, {})", row.name, to_text(e.args[0]), to_text(e.args[1]));
  return operand_text(e.args[0], 2) + std::string(row.sign) + operand_text(e.args[1], 3);
}

std::vector<std::string> names_in(const SizeExpr& e) {
  std::vector<std::string> names;
  collect_names(e, names);
  return names;
}

}  // namespace tenon
