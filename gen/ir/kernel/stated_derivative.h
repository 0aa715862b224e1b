// Values whose derivative is stated: a mark used only in kernels that are differentiated, like stop(x).
#pragma once

#include <optional>

#include "ir/kernel/expr.h"

namespace tenon {

/// `value` has the derivative `d` with respect to `x`, regardless of how it is computed. For several arguments, `value`
/// is itself such a mark.
struct StatedDerivative {
  Expr value, x, d;
};

Expr with_derivative(const StatedDerivative& stated);
std::optional<StatedDerivative> stated_derivative(const Expr& e);

/// `e` without such marks, and without those of stop(x).
Expr without_marks(const Expr& e);

}  // namespace tenon
