// Loops over padded windows: the part where every tap is inside, and what is left of it and right of it.
#pragma once

#include <optional>

#include "algebra/linear.h"
#include "lower/tree/loop_tree.h"

namespace tenon {

/// The iterations of `loop` for which all padded reads are inside in the dimensions that depend on its variable, as
/// expressions of outer variables with 0 <= begin <= end <= extent; nothing where that is not an interval that can be
/// written down.
struct Interior {
  Expr begin, end;
};
std::optional<Interior> find_interior(const Kernel&, const TreeLoop& loop, const Ranges& ranges);

}  // namespace tenon
