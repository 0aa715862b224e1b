// Values whose derivative is stated. The mark is a conversion of the value to its own type with two more arguments.
#include "ir/kernel/stated_derivative.h"

#include "support/check.h"

namespace tenon {

Expr with_derivative(const StatedDerivative& s) {
  TENON_CHECK(s.x->type == s.value->type && s.d->type == s.value->type, "a derivative of another type");
  return apply_as(ScalarOp::Cast, {s.value, s.x, s.d}, s.value->type);
}

std::optional<StatedDerivative> stated_derivative(const Expr& e) {
  const auto* a = std::get_if<Apply>(&e->node);
  if (!a || a->op != ScalarOp::Cast || a->args.size() != 3) return std::nullopt;
  return StatedDerivative{a->args[0], a->args[1], a->args[2]};
}

Expr without_marks(const Expr& e) {
  if (is_stop(e) || stated_derivative(e)) return without_marks(std::get<Apply>(e->node).args[0]);
  return map_children(e, [](const Expr& c) { return without_marks(c); });
}

}  // namespace tenon
