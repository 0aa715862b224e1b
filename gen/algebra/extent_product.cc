// Products of extents: reading them off an expression, and exact division.
#include "algebra/extent_product.h"

#include <numeric>

#include "algebra/linear.h"
#include "support/ranges.h"

namespace tenon {
namespace {

constexpr int64_t kMaximumNumber = int64_t{1} << 62;

std::optional<ExtentProduct> of_number(int64_t n) {
  if (n < 1 || n > kMaximumNumber) return std::nullopt;
  return ExtentProduct{n, {}};
}

/// A sum: the largest number that divides all of it, times the rest as one factor.
std::optional<ExtentProduct> of_sum(LinearForm form) {
  int64_t common = form.constant;
  for (const auto& [atom, factor] : form.terms) common = std::gcd(common, factor);
  auto out = of_number(common);
  if (!out) return std::nullopt;
  form.constant /= common;
  for (auto& [atom, factor] : form.terms) factor /= common;
  out->factors.push_back(to_expr(form));
  return out;
}

}  // namespace

std::optional<ExtentProduct> extent_product(const Expr& extent) {
  if (const auto n = constant_value(extent)) return of_number(*n);
  const LinearForm form = linear_form(extent);
  if (form.terms.size() != 1 || form.constant != 0) return of_sum(form);
  const auto& [atom, factor] = form.terms[0];
  const auto number = of_number(factor);
  const auto* a = std::get_if<Apply>(&atom->node);
  if (!number) return std::nullopt;
  if (!a || a->op != ScalarOp::Mul) return times(*number, {1, {atom}});
  const auto x = extent_product(a->args[0]), y = extent_product(a->args[1]);
  const auto both = x && y ? times(*x, *y) : std::nullopt;
  return both ? times(*number, *both) : std::nullopt;
}

std::optional<ExtentProduct> times(const ExtentProduct& a, const ExtentProduct& b) {
  ExtentProduct out = a;
  if (__builtin_mul_overflow(a.number, b.number, &out.number) || out.number > kMaximumNumber) return std::nullopt;
  append(out.factors, b.factors);
  return out;
}

std::optional<ExtentProduct> quotient(const ExtentProduct& a, const ExtentProduct& b) {
  if (a.number % b.number != 0) return std::nullopt;
  ExtentProduct out{a.number / b.number, a.factors};
  for (const Expr& factor : b.factors) {
    const auto at = find_if(out.factors, [&](const Expr& f) { return same(f, factor); });
    if (at == out.factors.end()) return std::nullopt;
    out.factors.erase(at);
  }
  return out;
}

Expr to_expr(const ExtentProduct& p) {
  if (p.is_constant()) return constant_int(p.number);
  Expr out = p.factors[0];
  for (size_t k = 1; k < p.factors.size(); ++k) out = out * p.factors[k];
  return p.number == 1 ? out : constant_int(p.number) * out;
}

}  // namespace tenon
