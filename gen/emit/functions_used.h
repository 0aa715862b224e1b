// The elementary functions that a kernel calls, given the known ranges of their arguments.
#pragma once

#include <vector>

#include "ir/kernel/kernel.h"
#include "ir/op/math_function.h"

namespace tenon {

/// Entries of rows that the kernel applies, and of rows that those call, by name; each one once.
std::vector<const MathFunction*> functions_used(const MathLibrary& library, const Kernel& kernel);

}  // namespace tenon
