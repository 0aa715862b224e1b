// Contributions that renumber all elements.

#include "differentiate/gather_form.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// A variable and how far apart the numbers of its neighbours are.
struct Digit {
  LoopVar var;
  int64_t step = 0;
};

bool is_one_extent(const Expr& e) { return constant_value(e) == 1; }

/// `e` without `op` by `n`; null where it is not of this form.
Expr without(ScalarOp op, const Expr& e, const Expr& n) {
  const auto* a = std::get_if<Apply>(&e->node);
  return a && a->op == op && same(a->args[1], n) ? a->args[0] : nullptr;
}

/// The number whose place in row-major order the index is; null where it is of another form.
Expr number_of(const std::vector<Expr>& index, const std::vector<Expr>& dims, int64_t& step) {
  Expr number;
  step = 1;
  for (size_t d = index.size(); d-- > 0;) {
    const auto extent = constant_value(dims[d]);
    const bool first = std::all_of(dims.begin(), dims.begin() + static_cast<ptrdiff_t>(d), is_one_extent);
    if ((!extent && d > 0) || (extent && *extent < 1)) return nullptr;
    if (!is_one_extent(dims[d]) || !is_zero(index[d])) {
      Expr e = without(ScalarOp::Mod, index[d], dims[d]);
      if (!e && first) e = index[d];
      if (e && step != 1) e = without(ScalarOp::FloorDiv, e, constant_int(step));
      if (!e || (number && !same(number, e))) return nullptr;
      number = e;
    }
    if (d > 0) step *= *extent;
  }
  return number;
}

/// The variables as digits of the number, the one with the smallest step first.
std::optional<std::vector<Digit>> digits_of(const Expr& number, const std::vector<LoopVar>& vars) {
  const LinearForm form = linear_form(number);
  std::vector<Digit> digits;
  size_t terms = 0;
  for (const LoopVar& v : vars) {
    Digit digit{v, 0};
    for (const auto& [atom, step] : form.terms)
      if (const auto* r = std::get_if<VarRef>(&atom->node); r && r->name == v.name) digit.step = step;
    terms += digit.step != 0;
    if (is_one_extent(v.extent)) continue;  // 0 everywhere
    if (digit.step == 0) return std::nullopt;
    digits.push_back(std::move(digit));
  }
  if (form.constant != 0 || terms != form.terms.size() || digits.empty()) return std::nullopt;
  stable_sort(digits, [](const Digit& a, const Digit& b) { return a.step < b.step; });
  int64_t step = 1;
  for (size_t k = 0; k < digits.size(); ++k) {
    if (digits[k].step != step) return std::nullopt;
    const auto extent = constant_value(digits[k].var.extent);
    if (k + 1 < digits.size() && (!extent || *extent < 1)) return std::nullopt;
    step *= extent.value_or(1);
  }
  return digits;
}

}  // namespace

std::optional<Expr> renumbered_form(const Contribution& c, const GatherTarget& target) {
  const auto repeats = [](const Expr& e) { return e != nullptr; };
  if (c.padded || c.index.empty() || any_of(target.repeats, repeats)) return std::nullopt;
  int64_t step = 0;
  const Expr number = number_of(c.index, target.dims, step);
  if (!number || std::holds_alternative<VarRef>(number->node)) return std::nullopt;
  const auto digits = digits_of(number, c.vars);
  if (!digits) return std::nullopt;
  const Digit& outer = digits->back();
  if (constant_difference(outer.var.extent * constant_int(outer.step), target.dims[0] * constant_int(step)) != 0)
    return std::nullopt;
  Expr at = var_ref(target.loops[0].name);
  for (size_t d = 1; d < target.loops.size(); ++d) at = at * target.dims[d] + var_ref(target.loops[d].name);
  std::map<std::string, Expr> to;
  for (const LoopVar& v : c.vars) to[v.name] = constant_int(0);
  for (const Digit& digit : *digits) {
    Expr e = digit.step == 1 ? at : apply(ScalarOp::FloorDiv, {at, constant_int(digit.step)});
    if (&digit != &outer) e = apply(ScalarOp::Mod, {e, digit.var.extent});
    to[digit.var.name] = e;
  }
  const Expr value = substitute(c.value, to);
  return c.where ? select(substitute(c.where, to), value, constant_float(0, value->type)) : value;
}

}  // namespace tenon
