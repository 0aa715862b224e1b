// Merged dimensions: found by the constant that a sum divides a variable by, split by substitution.
#include "schedule/split_loops.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

#include "algebra/contraction.h"
#include "algebra/simplify.h"

namespace tenon {
namespace {

/// The constants that `e` divides a variable by.
void note_divisors(const Expr& e, const std::string& var, std::set<int64_t>& divisors) {
  walk(e, [&](const Expr& n) {
    const auto* a = std::get_if<Apply>(&n->node);
    if (!a || (a->op != ScalarOp::FloorDiv && a->op != ScalarOp::Mod)) return true;
    const auto* divided = std::get_if<VarRef>(&a->args[0]->node);
    if (divided && divided->name == var) divisors.insert(constant_value(a->args[1]).value_or(0));
    return true;
  });
}

/// The extent of the inner one of the two dimensions that `v` walks in the sums of `value`.
std::optional<int64_t> inner_extent(const Expr& value, const LoopVar& v) {
  std::set<int64_t> divisors;
  walk(value, [&](const Expr& n) {
    if (!std::holds_alternative<Reduce>(n->node)) return true;
    note_divisors(n, v.name, divisors);
    return false;
  });
  const auto extent = constant_value(v.extent);
  if (divisors.size() != 1 || !extent) return std::nullopt;
  const int64_t inner = *divisors.begin();
  return inner > 1 && *extent > inner && *extent % inner == 0 ? std::optional(inner) : std::nullopt;
}

/// The statement with `loops[at]` as two loops, the inner one with `inner` turns.
KernelStatement split(const KernelStatement& s, size_t at, int64_t inner) {
  KernelStatement out = s;
  const LoopVar& v = s.loops[at];
  const LoopVar blocks{v.name + "_outer", constant_int(*constant_value(v.extent) / inner)}, within{v.name + "_inner", constant_int(inner)};
  out.loops[at] = blocks;
  out.loops.insert(out.loops.begin() + static_cast<std::ptrdiff_t>(at) + 1, within);
  Ranges ranges;
  for (const LoopVar& l : out.loops) ranges.extents[l.name] = l.extent;
  const std::map<std::string, Expr> whole{{v.name, var_ref(blocks.name) * constant_int(inner) + var_ref(within.name)}};
  out.value = simplify(substitute(s.value, whole), ranges);
  for (Expr& i : out.index) i = simplify(substitute(i, whole), ranges);
  return out;
}

bool uses_tiles(const Kernel& kernel) {
  const auto c = find_contraction(kernel);
  return c && !c->is_stencil();
}

}  // namespace

Kernel with_split_loops(const Kernel& kernel) {
  if (kernel.body.size() != 1 || uses_tiles(kernel)) return kernel;
  Kernel out = kernel;
  KernelStatement& s = out.body[0];
  for (size_t i = s.loops.size(); i-- > 0;)
    if (const auto inner = inner_extent(s.value, s.loops[i])) s = split(s, i, *inner);
  return s.loops.size() > kernel.body[0].loops.size() && find_contraction(out) ? out : kernel;
}

}  // namespace tenon
