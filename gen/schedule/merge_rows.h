// Kernels that work row by row on the same rows become one: softmax, norms and the like, however a graph spells them.
#pragma once

#include "schedule/kernel_graph.h"

namespace tenon {

/// Puts the statements of `first` before those of `second`, whose reads of what `first` makes become reads of its
/// tensors. Values that nothing outside `needed` any more become temps. Nothing where the shapes of a value do not
/// nest.
std::optional<FusedKernel> concatenate(const FusedKernel& first, const FusedKernel& second,
                                       const std::set<ValueId>& needed);

/// Merges makers into readers, and readers of one value with each other, where at least one of the two reduces, every
/// value that flows between their statements is read at the row that is written, and a row of it is small. Contractions
/// and windows stay alone.
void merge_rows(KernelGraph& graph);

}  // namespace tenon
