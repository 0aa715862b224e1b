// Finds boxes: substituting h - i for r eliminates i.
#include "lower/kernel/sliding_box.h"

#include "algebra/linear.h"
#include "algebra/simplify.h"
#include "lower/kernel/loop_bounds.h"

namespace tenon {
namespace {

/// All extents are at least 1.
Expr all_run(const Expr& a, const Expr& b) {
  const auto runs = [](const Expr& e) { return apply(ScalarOp::Ge, {e, constant_int(1)}); };
  return apply(ScalarOp::And, {runs(a), runs(b)});
}

/// i + rest of the limit, where i is the loop; nothing where the limit is something else, or the rest is not one number
/// for the whole kernel.
std::optional<Expr> next_to(const Expr& limit, const LoopVar& loop) {
  LinearForm form = linear_form(limit);
  bool found = false, plain = true;
  std::erase_if(form.terms, [&](const auto& term) {
    const bool mine = is_variable(term.first, loop.name) && term.second == 1;
    found = found || mine;
    plain = plain && (mine || std::holds_alternative<SizeRef>(term.first->node) ||
                      std::holds_alternative<AttrRef>(term.first->node));
    return mine;
  });
  return found && plain ? std::optional(to_expr(form)) : std::nullopt;
}

}  // namespace

std::optional<SlidingBox> sliding_box(const KernelStatement& s, const Reduce& r, const std::string& place) {
  if (r.where) return std::nullopt;
  for (size_t l = s.loops.size(); l-- > 0;)
    for (size_t v = 0; v < r.vars.size(); ++v) {
      const LoopVar &loop = s.loops[l], &var = r.vars[v];
      if (!mentions(r.value, loop.name) || !mentions(r.value, var.name)) continue;
      const Expr value = simplify(substitute(r.value, {{var.name, var_ref(place) - var_ref(loop.name)}}));
      if (mentions(value, loop.name)) continue;
      const Expr all = loop.extent + var.extent - constant_int(1);
      return SlidingBox{l, v, value, select(all_run(loop.extent, var.extent), all, constant_int(0))};
    }
  return std::nullopt;
}

std::optional<ConditionedBox> conditioned_box(const KernelStatement& s, const Reduce& r) {
  if (!r.where || r.vars.size() != 1) return std::nullopt;
  const auto limits = conjuncts(r.where);
  if (limits.size() != 2) return std::nullopt;
  auto first = bound_of(limits[0], r.vars[0].name), second = bound_of(limits[1], r.vars[0].name);
  if (!first || !second || first->from == second->from) return std::nullopt;
  if (!first->from) std::swap(first, second);
  for (size_t l = 0; l < s.loops.size(); ++l) {
    if (mentions(r.value, s.loops[l].name)) continue;
    const auto from = next_to(first->limit, s.loops[l]), to = next_to(second->limit, s.loops[l]);
    if (from && to) return ConditionedBox{l, constant_int(0) - *from, *to};
  }
  return std::nullopt;
}

bool joins_parts(const Kernel& k, const Reduce& r) {
  if (r.op == Reducer::Fold || is_positional(r.op) || is_complex(r.value->type)) return false;
  const bool ordered = r.op == Reducer::Sum || r.op == Reducer::Prod;
  if (ordered && r.value->type == DType::Bool) return false;
  return !ordered || !is_float(r.value->type) || k.reassociate;
}

bool takes_away(const Reduce& r) { return is_int(r.value->type) && (r.op == Reducer::Sum || r.op == Reducer::BitXor); }

}  // namespace tenon
