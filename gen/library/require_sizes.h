// Conditions on extents that a kernel asks for before it computes.
#pragma once

#include <string>

#include "ir/kernel/kernel.h"

namespace tenon {

/// The kernel returns TN_E_SHAPE unless `holds`, a condition on sizes and attributes, is true; `what` says so in a
/// comment. Nothing where the condition always is true, or is asked for already.
void require_sizes(Kernel& kernel, const Expr& holds, std::string what);

}  // namespace tenon
