// Merged dimensions: found by the constant that a sum divides a variable by, split by substitution.
#include <map>
#include <optional>
#include <set>

#include "algebra/contraction.h"
#include "algebra/fresh_names.h"
#include "algebra/simplify.h"
#include "schedule/fused_kernel.h"
#include "schedule/index_map.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The constants that `e` divides a variable by; 0 for divisors that are not constant.
std::set<int64_t> divisors_of(const std::string& var, const Expr& e) {
  std::set<int64_t> found;
  walk(e, [&](const Expr& n) {
    const auto* a = std::get_if<Apply>(&n->node);
    if (!a || (a->op != ScalarOp::FloorDiv && a->op != ScalarOp::Mod)) return true;
    const auto* divided = std::get_if<VarRef>(&a->args[0]->node);
    if (divided && divided->name == var) found.insert(constant_value(a->args[1]).value_or(0));
    return true;
  });
  return found;
}

/// A variable that walks two dimensions, and its parts.
struct Merged {
  LoopVar whole, outer, inner;

  std::map<std::string, Expr> parts() const {
    return {{whole.name, var_ref(outer.name) * inner.extent + var_ref(inner.name)}};
  }
};

/// The innermost dimension is split off first; the rest may be several again.
std::optional<Merged> merged(const LoopVar& v, const Expr& sum, const FreshNames& names) {
  const std::set<int64_t> divisors = divisors_of(v.name, sum);
  const auto extent = constant_value(v.extent);
  if (divisors.empty() || !extent) return std::nullopt;
  const int64_t inner = *divisors.begin();
  if (inner < 2 || *extent <= inner || *extent % inner != 0) return std::nullopt;
  if (any_of(divisors, [&](int64_t d) { return d % inner != 0; })) return std::nullopt;
  return Merged{v,
                {names.unused(v.name + "_outer"), constant_int(*extent / inner)},
                {names.unused(v.name + "_inner"), constant_int(inner)}};
}

void split_in(std::vector<LoopVar>& loops, const Merged& m) {
  for (size_t i = 0; i < loops.size(); ++i)
    if (loops[i].name == m.whole.name) {
      loops[i] = m.outer;
      loops.insert(loops.begin() + static_cast<std::ptrdiff_t>(i) + 1, m.inner);
      return;
    }
}

/// The value with a reduction's own variable as two.
Expr split_reduction(const Expr& e, const Merged& m) {
  const auto* r = std::get_if<Reduce>(&e->node);
  if (!r) return map_children(e, [&](const Expr& c) { return split_reduction(c, m); });
  std::vector<LoopVar> vars = r->vars;
  split_in(vars, m);
  return reduce_like(*r, std::move(vars), r->where ? substitute(r->where, m.parts()) : nullptr,
                     substitute(r->value, m.parts()), e->type);
}

KernelStatement simplified(KernelStatement s) {
  const Ranges ranges = ranges_of(s.loops);
  map_exprs(s, [&](const Expr& e) { return simplify(e, ranges); });
  return s;
}

const Expr* first_sum(const Expr& value) {
  const Expr* found = nullptr;
  walk(value, [&](const Expr& e) {
    if (!found && std::holds_alternative<Reduce>(e->node)) found = &e;
    return !found;
  });
  return found;
}

/// Splits one variable of the statement; false if there is none to split.
bool split_once(KernelStatement& s, const FreshNames& names) {
  const Expr* sum = first_sum(s.value);
  if (!sum) return false;
  for (const LoopVar& v : s.loops)
    if (const auto m = merged(v, *sum, names)) {
      map_exprs(s, [&](const Expr& e) { return substitute(e, m->parts()); });
      split_in(s.loops, *m);
      s = simplified(std::move(s));
      return true;
    }
  for (const LoopVar& v : std::get<Reduce>((*sum)->node).vars)
    if (const auto m = merged(v, *sum, names)) {
      s.value = split_reduction(s.value, *m);
      s = simplified(std::move(s));
      return true;
    }
  return false;
}

/// The value with two variables for each one of a sum that walks lines split by their shape.
Expr with_split_sums(const Expr& e, const Kernel& k, const FreshNames& names) {
  const Expr x = map_children(e, [&](const Expr& c) { return with_split_sums(c, k, names); });
  const auto* r = std::get_if<Reduce>(&x->node);
  if (!r || all_reads(r->value, [&](const Read& read) { return !splits_line(k.tensor(read.tensor), read.index); }))
    return x;
  for (const LoopVar& v : r->vars)
    if (const auto m = merged(v, x, names)) return with_split_sums(simplify(split_reduction(x, *m)), k, names);
  return x;
}

}  // namespace

Kernel with_split_loops(const Kernel& kernel) {
  if (kernel.body.size() != 1) return kernel;
  const FreshNames names(kernel);
  Kernel out = kernel;
  while (split_once(out.body[0], names)) {
  }
  if (find_contraction(out)) return out;
  out = kernel;
  out.body[0].value = with_split_sums(out.body[0].value, out, names);
  return out;
}

}  // namespace tenon
