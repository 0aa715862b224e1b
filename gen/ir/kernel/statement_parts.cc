// All expressions of a statement.
#include "ir/kernel/statement_parts.h"

#include "support/ranges.h"

namespace tenon {

bool any_expression(const KernelStatement& s, FunctionRef<bool(const Expr&)> holds) {
  return holds(s.value) || (s.where && holds(s.where)) || any_of(s.index, holds) ||
         any_of(s.loops, [&](const LoopVar& v) { return holds(v.extent); });
}

bool reads_tensor(const KernelStatement& s, int tensor) {
  return any_expression(s, [&](const Expr& e) { return reads_tensor(e, tensor); });
}

}  // namespace tenon
