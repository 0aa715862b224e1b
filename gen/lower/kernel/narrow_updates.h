// Updates of elements in range alone: their conditions become bounds of loops.
#pragma once

#include "ir/kernel/kernel.h"

namespace tenon {

/// Drops clamps of an update's indices that its condition makes superfluous, and writes comparisons of the condition so
/// that the innermost variable that has a positive coefficient is alone on one side: loops take these as bounds.
void narrow_update(const Kernel& kernel, KernelStatement& update);

/// Whether the value is known to be positive: a number, or what a fact says of it.
bool is_positive(const Kernel& kernel, const Expr& e);

}  // namespace tenon
