// Buffers that need no memory of their own: pieces of a concatenation, slices, reshapes, results over inputs that
// nobody needs any more.
#pragma once

#include "ir/plan/execution_plan.h"

namespace tenon {

/// Turns buffers into views of others and drops what becomes a copy of a buffer to itself:
///   a statement that copies all of X to one run of elements of Y  → X is in Y, its maker writes it there
///   a step that copies one run of elements of X to all of Y       → Y is in X
///   a step that reads X only at the element that it writes, last  → its result is in X (or X in the result, where
///   that leaves the model)
/// What a graph takes in is never written, and a view of a graph's output is only made by its one writer.
void place_views(ExecutionPlan& plan);

}  // namespace tenon
