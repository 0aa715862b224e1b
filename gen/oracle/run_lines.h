// Statements of the interpreter a line of elements at a time, so that large constants fold in reasonable time.
#pragma once

#include <cstdint>
#include <vector>

#include "oracle/run_kernel.h"

namespace tenon {

/// Extents and strides of a kernel's tensors as numbers.
struct TensorShapes {
  std::vector<std::vector<int64_t>> dims, strides;
};

/// Carries out an assignment in a call whose tensors are allocated; the numbers are those that run_kernel computes
/// element by element. False, with nothing done, where it sums, or has another part that lines have no form of.
bool run_in_lines(const Kernel& kernel, const KernelStatement& statement, const TensorShapes& shapes, OracleCall& call);

}  // namespace tenon
