// Prepares sums of products for chains: loops over the same rows get one name, and a computed side of a product becomes
// a separate statement.
#pragma once

#include <vector>

#include "ir/kernel/kernel.h"

namespace tenon {

/// The loops and the variables of the statement's reduction, where the value is one.
std::vector<LoopVar> loops_and_depth(const KernelStatement& s);

/// The variables, in the order of the first statement's loops, that all of the first `end` statements loop over, or sum
/// products over.
std::vector<LoopVar> common_loops(const Kernel& kernel, size_t end);

/// The position after the last statement that is a reduction.
size_t end_of_reductions(const Kernel& kernel);

/// The kernel in that form; statements without such a form are unchanged. An excluded side is 0.
Kernel with_plain_products(const Kernel& kernel);

/// The kernel with the conclusions from sums over the rows, which have no rows themselves, at its end.
Kernel with_conclusions_last(Kernel k);

}  // namespace tenon
