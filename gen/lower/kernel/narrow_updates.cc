// Comparisons as differences that are not negative.
#include "algebra/linear.h"
#include "algebra/simplify.h"
#include "lower/kernel/kernel_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The expression that a comparison of integers states to be at least 0; null for other conditions.
Expr not_negative(const Expr& condition) {
  const auto* a = std::get_if<Apply>(&condition->node);
  if (!a || a->args.size() != 2 || a->args[0]->type != DType::I64) return nullptr;
  const Expr &x = a->args[0], &y = a->args[1];
  switch (a->op) {
    case ScalarOp::Ge: return x - y;
    case ScalarOp::Gt: return x - y - constant_int(1);
    case ScalarOp::Le: return y - x;
    case ScalarOp::Lt: return y - x - constant_int(1);
    default: return nullptr;
  }
}

bool is_known(const Expr& difference, const std::vector<Expr>& known) {
  return any_of(known, [&](const Expr& k) { return constant_difference(k, difference) == 0; });
}

Expr without_clamps(const Expr& e, const std::vector<Expr>& known) {
  const Expr inner = map_children(e, [&](const Expr& c) { return without_clamps(c, known); });
  const auto* a = std::get_if<Apply>(&inner->node);
  if (!a || inner->type != DType::I64 || (a->op != ScalarOp::Max && a->op != ScalarOp::Min)) return inner;
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const Expr &value = a->args[i], &limit = a->args[1 - i];
    if (is_known(a->op == ScalarOp::Max ? value - limit : limit - value, known)) return value;
  }
  return inner;
}

/// The condition that `difference` is at least 0 with a variable alone on the left; `condition` itself where no
/// coefficient is known to be positive or negative.
Expr isolated(const Kernel& k, const std::vector<LoopVar>& loops, const Expr& difference, const Expr& condition) {
  const auto v =
      std::find_if(loops.rbegin(), loops.rend(), [&](const LoopVar& l) { return mentions(difference, l.name); });
  const auto a = v == loops.rend() ? std::nullopt : affine_in(difference, v->name);
  if (!a) return condition;
  const Expr up = simplify(a->coefficient), down = simplify(constant_int(0) - a->coefficient);
  const auto quotient = [](const Expr& x, const Expr& by) {
    return is_one(by) ? x : apply(ScalarOp::FloorDiv, {x, by});
  };
  if (is_positive(k, up))
    return apply(ScalarOp::Ge, {var_ref(v->name), simplify(constant_int(0) - quotient(a->rest, up))});
  if (is_positive(k, down))
    return apply(ScalarOp::Lt, {var_ref(v->name), simplify(quotient(a->rest, down) + constant_int(1))});
  return condition;
}

}  // namespace

void narrow_update(const Kernel& kernel, KernelStatement& update) {
  std::vector<Expr> conditions, known;
  for (const Expr& c : conjuncts(update.where)) {
    const Expr difference = not_negative(c);
    if (difference) known.push_back(difference);
    conditions.push_back(difference ? isolated(kernel, update.loops, difference, c) : c);
  }
  for (Expr& e : update.index) e = simplify(without_clamps(e, known));
  update.where = conjunction(conditions);
}

bool is_positive(const Kernel& kernel, const Expr& e) {
  if (const auto c = constant_value(e)) return *c > 0;
  const Expr positive = apply(ScalarOp::Gt, {e, constant_int(0)});
  return any_of(kernel.facts, [&](const Expr& f) { return same(f, positive); });
}

}  // namespace tenon
