// All expressions of a statement: questions about what it reads are about each of them.
#pragma once

#include "ir/kernel/kernel.h"

namespace tenon {

/// Whether `holds` for the value, the condition, an index or the extent of a loop.
bool any_expression(const KernelStatement&, FunctionRef<bool(const Expr&)> holds);
/// Whether one of them reads the tensor.
bool reads_tensor(const KernelStatement&, int tensor);

}  // namespace tenon
