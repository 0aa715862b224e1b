// Loops over powers with one exponent for all iterations: where it is a common one, they are loops without powers.
#include <limits>

#include "lower/generate/generate.h"
#include "lower/kernel/kernel_ranges.h"
#include "support/ranges.h"

namespace tenon {
namespace {

bool is_leaf_loop(const TreeLoop& l) {
  return none_of(l.body, [](const TreeNode& n) {
    return std::holds_alternative<TreeLoop>(n.node) || std::holds_alternative<TreeTranspose>(n.node);
  });
}

struct SimplePower {
  double exponent;
  Expr value;
};

/// As opdefs/math/power.yaml has them.
std::vector<SimplePower> simple_powers(const Expr& x) {
  const auto is = [&](double v) { return apply(ScalarOp::Eq, {x, constant_float(v, x->type)}); };
  const Expr one = constant_float(1, x->type), square = apply(ScalarOp::Sq, {x});
  const auto inverse = [&](const Expr& of) { return apply(ScalarOp::Div, {one, of}); };
  const Expr without_sign = apply(ScalarOp::Or, {is(0), is(-std::numeric_limits<double>::infinity())});
  const Expr root = select(without_sign, square, apply(ScalarOp::Sqrt, {x}));
  return {{2, square},
          {3, square * x},
          {0.5, root},
          {-1, inverse(x)},
          {-0.5, inverse(root)},
          {-2, apply(ScalarOp::Sq, {inverse(x)})},
          {1, x},
          {0, one}};
}

}  // namespace

/// Whether an exponent is read from arguments and is the same in all iterations.
bool Generator::is_common_exponent(const Expr& e, const TreeLoop& l) {
  if (!has_node<Read>(e) || varies(e) || !always_defined(k_, e, ranges_)) return false;
  return !any_node(e, [&](const Expr& n) {
    const auto* v = std::get_if<VarRef>(&n->node);
    const auto* r = std::get_if<Read>(&n->node);
    const Role role = r ? k_.tensor(r->tensor).role : Role::Input;
    const bool argument = role == Role::Input || role == Role::Constant;
    return std::holds_alternative<Reduce>(n->node) || !argument ||
           (v && v->name != l.var.name && !vars_.contains(v->name));
  });
}

/// A power of the loop with such an exponent; null if there is none.
Expr Generator::common_power(const TreeLoop& l) {
  Expr found;
  const std::string outer = std::exchange(lanes_.var, l.var.name);
  ranges_.extents[l.var.name] = l.var.extent;
  start_leaf({});
  each_value(l.body, [&](const Expr& value) {
    walk(value, [&](const Expr& e) {
      const Apply* a = is_float(e->type) ? as_apply(e, ScalarOp::Pow) : nullptr;
      if (!found && a && is_common_exponent(a->args[1], l)) found = e;
      return !found;
    });
  });
  ranges_.extents.erase(l.var.name);
  lanes_.var = outer;
  start_leaf({});
  return found;
}

/// Writes the loop again for each simple power, if it computes powers with one exponent: these take a fraction of the
/// time of another power. The function `pow` has the same bits for squares, cubes and roots; docs/accuracy.md says what
/// inverses differ by. The exponent is read only if the loop runs.
bool Generator::simple_powers_apart(const TreeLoop& l) {
  if (powers_asked_ || !lanes_.var.empty() || l.parallel) return false;
  if (!is_leaf_loop(l) || is_presence(k_, l.var.extent)) return false;
  const Expr power = common_power(l);
  if (!power) return false;
  const Few<Expr>& args = std::get<Apply>(power->node).args;
  const Expr runs = apply(ScalarOp::Lt, {l.begin ? l.begin : constant_int(0), l.end ? l.end : l.var.extent});
  start_leaf({});
  powers_asked_ = true;
  std::vector<std::pair<Operand, Block>> arms;
  for (const SimplePower& simple : simple_powers(args[0])) {
    const Expr is = apply(ScalarOp::Eq, {args[1], constant_float(simple.exponent, args[1]->type)});
    const Operand holds = scalar(apply(ScalarOp::And, {runs, is}), 0);
    TreeLoop arm = l;
    arm.body =
        changed_tree(l.body, {}, [&](const Expr& e, const Ranges&) { return with_expr(e, power, simple.value); });
    arms.emplace_back(holds, block([&] { loop(arm); }));
  }
  Block rest = block([&] { loop(l); });
  powers_asked_ = false;
  for (; !arms.empty(); arms.pop_back())
    rest = {s_if(arms.back().first, std::move(arms.back().second), std::move(rest))};
  append(*out_, std::move(rest));
  return true;
}

}  // namespace tenon
