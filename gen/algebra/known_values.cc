// Replaces sizes and attributes by known values.
#include "algebra/known_values.h"

namespace tenon {
namespace {

Expr equal_to(const Expr& what, const Expr& value) {
  if (what->type == DType::Bool) return is_zero(value) ? apply(ScalarOp::Not, {what}) : what;
  const Expr equal = apply(ScalarOp::Eq, {what, value});
  if (!is_float(what->type) || as_constant(value)->f != 0) return equal;
  const Expr one = constant_float(1, what->type);
  return apply(ScalarOp::And, {equal, apply(ScalarOp::Eq, {apply(ScalarOp::Copysign, {one, what}), one})});
}

}  // namespace

Expr with_known(const Expr& e, const KnownValues& known) {
  for (const auto& [what, becomes] : known)
    if (same(what, e)) return becomes;
  return map_children(e, [&](const Expr& c) { return with_known(c, known); });
}

Kernel with_known(const Kernel& k, const KnownValues& known) {
  return map_exprs(k, [&](const Expr& e) { return with_known(e, known); });
}

Expr equal_to(const KnownValues& values) {
  Expr all;
  for (const auto& [what, value] : values) all = both(all, equal_to(what, value));
  return all;
}

}  // namespace tenon
