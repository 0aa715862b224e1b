// Indices that are led back inside: mirror, reflect, wrap, clamp and %.
#pragma once

#include <optional>

#include "algebra/linear.h"
#include "ir/kernel/kernel.h"

namespace tenon {

/// Where low <= index <= high the expression is `index` itself. Null: no limit at that end.
struct GuardedIndex {
  Expr index;
  Expr low, high;
  bool divides = false;  ///< by a number that is no power of two: costly
  bool repeats = false;  ///< index % period
};

/// The operand of a node that leads an index back into the tensor; nothing for other nodes.
std::optional<GuardedIndex> guarded_index(const Expr& e, const Ranges& ranges);

}  // namespace tenon
