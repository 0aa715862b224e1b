// Derivatives of scalar operations: the `d:` rows of the definitions, as expressions.
#pragma once

#include <map>

#include "ir/kernel/expr.h"
#include "ir/op/op_def.h"
#include "support/function_ref.h"

namespace tenon {

/// The rows of a library by operation. It refers to the library, which has to outlive it.
class DerivativeTable {
 public:
  explicit DerivativeTable(const OpLibrary& library);

  /// Whether the operation can be differentiated with respect to its arguments.
  bool has(ScalarOp op) const { return rows_.contains(op); }
  /// d result / d args[k], where `result` applies an operation that has a row; of the result's type.
  Expr derivative(const Expr& result, size_t k) const;

 private:
  const OpLibrary& library_;
  std::map<ScalarOp, const ScalarRow*> rows_;
};

/// `f` of the values among which the choices of an adjoint choose, and of the terms of a sum with choices; what is left
/// out, the number 0, stays 0. `f` is linear.
Expr over_choices(const Expr& adjoint, FunctionRef<Expr(const Expr&)> f);

/// adjoint * derivative. A choice stays outermost, so that a value that is not chosen is not multiplied: 0 times
/// infinity would be NaN.
Expr chained(const Expr& adjoint, const Expr& derivative);

}  // namespace tenon
