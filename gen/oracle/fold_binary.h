// Sums, differences, products and quotients of two constants of f32, for weights of millions of elements, which the
// interpreter is too slow for.
#pragma once

#include "oracle/run_kernel.h"

namespace tenon {

/// Runs the kernel where it is one statement `y[…] = a[…] op b[…]` over f32 with the loops' variables or 0 as indices,
/// op one of + - * /; false where it is not, and nothing is done. The result is that of run_kernel, rounded once.
bool fold_binary(const Kernel& kernel, OracleCall& call);

}  // namespace tenon
