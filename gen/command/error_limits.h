// How far results may be from the interpreter's: what the arithmetic of a kernel explains.
#pragma once

#include <vector>

#include "ir/kernel/kernel.h"

namespace tenon {

/// The error of each output that rounding explains, relative to its largest element; 0 of those that are exact.
std::vector<double> error_limits(const Kernel&);

}  // namespace tenon
