// Values whose derivative is stated: a mark that only kernels on their way to a gradient have, as stop(x) is.
#pragma once

#include <optional>

#include "ir/kernel/expr.h"

namespace tenon {

/// `value` has the derivative `d` with respect to `x`, however it is computed. With respect to several arguments,
/// `value` is one of these itself.
struct StatedDerivative {
  Expr value, x, d;
};

Expr with_derivative(const StatedDerivative& stated);
std::optional<StatedDerivative> stated_derivative(const Expr& e);

/// `e` without such marks, and without those of stop(x).
Expr without_marks(const Expr& e);

}  // namespace tenon
