// Temps that passes need.
#pragma once

#include <string>
#include <vector>

#include "ir/kernel/kernel.h"

namespace tenon {

/// Adds a temp named `base`, with a number after it where the name is taken; its position among the tensors.
int add_temp(Kernel& k, const std::string& base, DType type, const std::vector<Expr>& dims);

}  // namespace tenon
