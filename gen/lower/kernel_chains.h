// Chains of products in kernels, and what follows them.
#pragma once

#include <optional>

#include "ir/kernel/kernel.h"
#include "lower/contraction/row_chain.h"

namespace tenon {

/// The kernel as the lowering of loops sees it: simplified, after all kernel passes.
Kernel after_kernel_passes(const Kernel& kernel);

/// The chain that the kernel is after its passes.
std::optional<ChainedKernel> chain_of(const Kernel& kernel);

/// The kernel in two parts: a chain, and statements over other loops, which read temps of it: the gradient of a mask
/// that all heads share is the sum of those of all scores. Nothing where the kernel has no chain, or is one of as many
/// loops.
std::optional<Kernel> chain_and_rest(const Kernel& kernel);

}  // namespace tenon
