// Uses the values of constant tensors as indices of kernels.
#pragma once

#include "ir/graph/graph.h"
#include "schedule/fused_kernel.h"

namespace tenon {

/// Simplifies the kernel's formulas and checks with the least and the maximum element of each constant of whole
/// numbers: an index that always is inside is neither wrapped nor checked.
void use_constants(const Graph& graph, FusedKernel& kernel);

}  // namespace tenon
