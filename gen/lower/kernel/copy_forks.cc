// Forks of copies: which dimensions are in lines, and where.

#include "algebra/linear.h"
#include "algebra/simplify.h"
#include "lower/kernel/fork_parts.h"
#include "lower/kernel/kernel_ranges.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The read of a copy, and the loop along its lines.
struct Copy {
  const Read* read = nullptr;
  const std::vector<LoopVar>* loops = nullptr;
};
std::optional<Copy> only_copy(const Kernel& k) {
  if (k.body.size() != 1 || k.body[0].update != Update::Assign || k.body[0].loops.empty() ||
      is_in_recurrence(k.body[0]))
    return std::nullopt;
  const auto* read = std::get_if<Read>(&k.body[0].value->node);
  return read && !read->fill ? std::optional(Copy{read, &k.body[0].loops}) : std::nullopt;
}

/// Whether the kernel takes elements to places along lines, as the gradient of a copy does.
bool only_updates(const Kernel& k) {
  return k.body.size() == 1 && k.body[0].update != Update::Assign && !k.body[0].loops.empty() &&
         std::holds_alternative<Read>(k.body[0].value->node) && !is_in_recurrence(k.body[0]);
}

/// An index that is kept between 0 and `last`; without that it is affine in the variable of the line.
struct Clamped {
  Expr whole, inner, last;
  AffineIn form;
};

std::optional<Clamped> clamped_in(const Expr& e, const std::vector<LoopVar>& loops) {
  const auto two = [](const Expr& x, ScalarOp op) {
    const auto* a = std::get_if<Apply>(&x->node);
    return a && a->op == op && a->args.size() == 2 ? a : nullptr;
  };
  const auto known = [&](const Expr& x) {  // before the kernel: a fork reads no data
    return none_of(loops, [&](const LoopVar& l) { return mentions(x, l.name); }) && !has_node<Read>(x) &&
           !has_node<Reduce>(x);
  };
  std::optional<Clamped> found;
  walk(e, [&](const Expr& n) {
    const Apply* least = two(n, ScalarOp::Min);
    const Apply* most = least ? two(least->args[0], ScalarOp::Max) : nullptr;
    if (found || !most || !is_zero(most->args[1]) || !known(least->args[1])) return !found;
    const auto form = affine_in(most->args[0], loops.back().name);
    if (form && !is_zero(form->coefficient) && known(form->coefficient) && known(form->rest))
      found = Clamped{n, most->args[0], least->args[1], *form};
    return !found;
  });
  return found;
}

}  // namespace

std::optional<Fork> fork_clamped(const Kernel& k) {
  const auto copy = only_copy(k);
  if (!copy && !only_updates(k)) return std::nullopt;
  const std::vector<LoopVar>& loops = k.body[0].loops;
  for (const Expr& index : copy ? copy->read->index : k.body[0].index) {
    const auto c = clamped_in(index, loops);
    if (!c) continue;
    const Expr end = c->form.rest + (loops.back().extent - constant_int(1)) * c->form.coefficient;
    Expr holds;
    for (const Expr& place : {c->form.rest, end})
      for (const Expr& inside : {apply(ScalarOp::Ge, {place, constant_int(0)}), apply(ScalarOp::Le, {place, c->last})})
        holds = both(holds, inside);
    holds = simplify(holds, size_ranges(k));
    if (constant_value(holds) || ruled_out(k, holds)) return std::nullopt;
    Fork f = fork_on(holds, map_exprs(k, [&](const Expr& e) { return with_expr(e, c->whole, c->inner); }), k);
    f.what = "all indices are inside: nothing to clamp";
    return f;
  }
  return std::nullopt;
}

std::optional<Fork> fork_copy_step(const Kernel& k) {
  const auto copy = only_copy(k);
  if (!copy || copy->read->index.empty()) return std::nullopt;
  const auto form = affine_in(copy->read->index.back(), copy->loops->back().name);
  const std::string step = form ? size_name(form->coefficient) : "";
  if (step.empty() || !is_open(k, step)) return std::nullopt;
  for (const int64_t by : {1, 2, -1}) {
    const Expr holds = equals(size_ref(step), by);
    if (!ruled_out(k, holds)) return fork_on(holds, with_sizes(k, {{step, by}}), k);
  }
  return std::nullopt;
}

std::optional<Fork> fork_operands(const Kernel& k) {
  constexpr size_t kFew = 2;
  std::map<std::string, int64_t> absent;
  Expr holds;
  for (size_t i = 0; i < k.body.size(); ++i) {
    const KernelStatement& s = k.body[i];
    const bool copies = s.update == Update::Assign && s.target == k.body[0].target && !is_in_recurrence(s) &&
                        std::holds_alternative<Read>(s.value->node);
    if (!copies) return std::nullopt;
    const auto own = find_if(s.loops, [&](const LoopVar& l) {
      return is_open(k, size_name(l.extent)) && none_of(k.body, [&](const KernelStatement& o) {
               return &o != &s && any_of(o.loops, [&](const LoopVar& x) { return same(x.extent, l.extent); });
             });
    });
    if (own == s.loops.end()) return std::nullopt;
    if (i < kFew) continue;
    absent[size_name(own->extent)] = 0;
    holds = both(holds, equals(own->extent, 0));
  }
  if (absent.size() < kFew || ruled_out(k, holds)) return std::nullopt;
  return fork_on(holds, with_sizes(k, absent), k);
}

std::optional<Fork> fork_period(const Kernel& k) {
  const auto copy = only_copy(k);
  if (!copy || copy->read->index.empty()) return std::nullopt;
  if (!is_one(k.tensor(copy->read->tensor).strides.back())) return std::nullopt;
  std::string period;
  for (const Expr& index : copy->read->index)
    walk(index, [&](const Expr& e) {
      const auto* a = std::get_if<Apply>(&e->node);
      const LoopVar& line = copy->loops->back();
      if (a && a->op == ScalarOp::Mod && mentions(e, line.name) && !same(a->args[1], line.extent))
        period = size_name(a->args[1]);
      return true;
    });
  if (period.empty() || !is_open(k, period)) return std::nullopt;
  const Expr holds = equals(size_ref(period), 1);
  if (ruled_out(k, holds)) return std::nullopt;
  Fork f = fork_on(holds, with_sizes(k, {{period, 1}}), k);
  const Expr alone = equals(copy->loops->back().extent, 1);  // a line of one element is not a separate case
  for (Kernel* side : {&f.then, &f.otherwise}) side->facts.push_back(apply(ScalarOp::Not, {alone}));
  return f;
}

std::optional<Fork> fork_transposed(const Kernel& k) {
  if (k.body.size() != 1 || k.body[0].update != Update::Assign || is_in_recurrence(k.body[0])) return std::nullopt;
  const auto* read = std::get_if<Read>(&k.body[0].value->node);
  if (!read || read->fill) return std::nullopt;
  const Tensor &source = k.tensor(read->tensor), &target = k.tensor(k.body[0].target);
  if (source.strides.size() != 2 || target.strides.size() != 2) return std::nullopt;
  for (const auto& [columns, lines] : {std::pair(&source, &target), std::pair(&target, &source)}) {
    if (constant_value(columns->strides[1])) continue;
    std::map<std::string, int64_t> dense;
    Expr holds;
    bool open = true;
    for (const Expr& step : {columns->strides[0], lines->strides[1]}) {
      if (is_one(step)) continue;
      open = open && is_open(k, size_name(step));
      dense[size_name(step)] = 1;
      holds = both(holds, equals(step, 1));
    }
    if (open && holds && !ruled_out(k, holds)) return fork_on(holds, with_sizes(k, dense), k);
  }
  return std::nullopt;
}

}  // namespace tenon
