// separate-sums: sum[i,j](a[u,i]*x[i,j]*b[v,j]) sums over j once for all u: the inner sum becomes a temp over (i, v).
// The same goes for conditions: sum[i,j : i <= h and j <= w](x[i,j]) is a running sum along rows, then one along
// columns; boxes are taken along one dim, then along the other.

#include "lower/kernel/kernel_passes.h"
#include "lower/kernel/kernel_ranges.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// One variable of a reduction taken by itself.
struct Split {
  LoopVar var;
  std::vector<Expr> inner, outer;  ///< factors
  std::vector<Expr> inner_where, outer_where;
  std::vector<LoopVar> loops;  ///< of the inner reduction
  std::vector<LoopVar> rest;   ///< the other variables of the reduction
};

Expr product(const std::vector<Expr>& factors) {
  Expr p = factors[0];
  for (size_t i = 1; i < factors.size(); ++i) p = apply(ScalarOp::Mul, {p, factors[i]});
  return p;
}

bool combines_in_parts(Reducer op) { return op != Reducer::Fold && !is_positional(op); }

class SumSeparator {
 public:
  explicit SumSeparator(const Kernel& k) : k_(k), sizes_(size_ranges(k)) {}

  Kernel run() {
    for (size_t i = 0; i < k_.body.size(); ++i)
      while (const auto s = split_of(k_.body[i])) i += take_out(i, *s);
    return std::move(k_);
  }

  bool finds_any() const {
    return any_of(k_.body, [&](const KernelStatement& s) { return split_of(s); });
  }

 private:
  std::optional<Split> split_of(const KernelStatement& s) const {
    const auto* r = std::get_if<Reduce>(&s.value->node);
    if (!r || r->vars.size() < 2 || s.update != Update::Assign || is_in_recurrence(s) || !combines_in_parts(r->op))
      return std::nullopt;
    if (r->value->type != s.value->type || (is_float(s.value->type) && !k_.reassociate)) return std::nullopt;
    for (size_t v = r->vars.size(); v-- > 0;)
      if (auto split = split_at(s, *r, v)) return split;
    return std::nullopt;
  }

  /// The variable as a reduction of its own, where that leaves out a loop of the statement; nothing elsewhere.
  std::optional<Split> split_at(const KernelStatement& s, const Reduce& r, size_t v) const {
    Split out;
    out.var = r.vars[v];
    if (is_one(out.var.extent)) return std::nullopt;  // no sum: the temp would be a copy
    out.rest = r.vars;
    out.rest.erase(out.rest.begin() + static_cast<std::ptrdiff_t>(v));
    std::vector<Expr> factors;
    if (r.op == Reducer::Sum && r.value->type != DType::Bool) collect_factors(r.value, factors);
    else factors.push_back(r.value);
    for (Expr& f : factors) (mentions(f, out.var.name) ? out.inner : out.outer).push_back(std::move(f));
    for (const Expr& c : r.where ? conjuncts(r.where) : std::vector<Expr>{})
      (mentions(c, out.var.name) ? out.inner_where : out.outer_where).push_back(c);
    if (out.inner.empty()) return std::nullopt;
    // An empty sum is 0, and times an infinite factor it would not be.
    if (!out.inner_where.empty() && !out.outer.empty()) return std::nullopt;
    // A condition on two variables of the reduction would need both loops inside.
    for (const LoopVar& o : out.rest)
      if (mentions(out.inner_where, o.name)) return std::nullopt;
    bool smaller = false;
    for (const LoopVar& o : out.rest)
      if (mentions(out.inner, o.name)) out.loops.push_back(o);
    for (const LoopVar& l : s.loops) {
      if (mentions(out.inner, l.name) || mentions(out.inner_where, l.name)) out.loops.push_back(l);
      else smaller = smaller || constant_value(l.extent).value_or(2) > 1;
    }
    return smaller && pays(s, out) && is_safe(out) ? std::optional(std::move(out)) : std::nullopt;
  }

  /// Only a value that is shared by all iterations of the loops left out is worth a temp: a product of a vector and a
  /// number is not.
  static bool pays(const KernelStatement& s, const Split& split) {
    const bool whole = split.loops.size() >= split.rest.size() && !split.rest.empty();
    const bool tied = !split.outer.empty() || !split.inner_where.empty() || !split.outer_where.empty();
    return whole && tied && !s.loops.empty();
  }

  /// A value that is computed for all elements must be defined for all.
  bool is_safe(const Split& split) const {
    Ranges ranges = sizes_;
    add_loops(ranges, split.loops);
    add_loops(ranges, {split.var});
    const auto defined = [&](const Expr& e) { return always_defined(k_, e, ranges); };
    return all_of(split.inner, defined) && all_of(split.inner_where, defined);
  }

  /// Puts the inner reduction before statement `at`; gives the number of statements added.
  size_t take_out(size_t at, const Split& split) {
    const KernelStatement s = k_.body[at];
    const auto& r = std::get<Reduce>(s.value->node);
    KernelStatement inner;
    inner.index = var_refs(split.loops);
    inner.target =
        add_temp(k_, k_.tensor(s.target).name + "_part", s.value->type, mapped(split.loops, &LoopVar::extent));
    inner.value = reduce(r.op, {split.var}, conjunction(split.inner_where), product(split.inner), s.value->type);
    inner.loops = split.loops;
    inner.formula = s.formula;
    inner.masks_by_zero = s.masks_by_zero;
    std::vector<Expr> factors = split.outer;
    factors.push_back(read_of(inner.target, s.value->type, inner.index));
    k_.body[at].value = reduce(r.op, split.rest, conjunction(split.outer_where), product(factors), s.value->type);
    k_.body.insert(k_.body.begin() + static_cast<std::ptrdiff_t>(at), std::move(inner));
    return 1;
  }

  Kernel k_;
  Ranges sizes_;
};

}  // namespace

Kernel separate_sums(const Kernel& k) { return SumSeparator(k).run(); }

bool has_separate_sums(const Kernel& k) { return SumSeparator(k).finds_any(); }

}  // namespace tenon
