// When a check fails, in parts: each as far outside as what it asks is known.
#pragma once

#include <vector>

#include "ir/kernel.h"

namespace tenon {

/// The condition under which a check fails, as a conjunction. Entry k holds what is known within the first k loops of the check, null for
/// nothing; reads and divisions stay in the innermost entry, in their order, because what stands before them may guard them.
std::vector<Expr> failing_parts(const Check&);

}  // namespace tenon
