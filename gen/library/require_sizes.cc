// Conditions on extents become checks without loops.
#include <algorithm>
#include <utility>

#include "algebra/simplify.h"
#include "library/bind_steps.h"

namespace tenon {

void require_sizes(Kernel& kernel, const Expr& holds, std::string what) {
  const Expr condition = simplify(holds);
  if (constant_value(condition).value_or(0) != 0) return;
  const auto* equal = std::get_if<Apply>(&condition->node);
  const bool symmetric = equal && equal->op == ScalarOp::Eq;
  const Expr swapped = symmetric ? apply(ScalarOp::Eq, {equal->args[1], equal->args[0]}) : condition;
  const auto is_same = [&](const Expr& other) { return same(other, condition) || same(other, swapped); };
  if (std::any_of(kernel.facts.begin(), kernel.facts.end(), [&](const Expr& f) { return is_same(simplify(f)); }))
    return;
  if (std::any_of(kernel.checks.begin(), kernel.checks.end(),
                  [&](const Check& c) { return c.loops.empty() && is_same(c.holds); }))
    return;
  kernel.checks.push_back({{}, condition, CheckStatus::Shape, std::move(what)});
}

}  // namespace tenon
