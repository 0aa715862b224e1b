// The cost of a kernel, as formulas over its sizes and in numbers.
#pragma once

#include <optional>
#include <string>

#include "ir/kernel/kernel.h"

namespace tenon {

/// Sums of products such as "2*K*M*N + M*N"; numbers alone where all extents are constants.
struct CostFormula {
  std::string operations;  ///< scalar operations: arithmetic, comparisons, elementary functions; casts, index
                           ///< arithmetic and choices by position are free
  std::string bytes;       ///< every input read once, every output written once
};

/// The cost of one call.
CostFormula cost_formula(const Kernel& kernel);

/// The same in numbers.
struct Cost {
  double flops = 0;
  double bytes = 0;
};

/// The cost of one call where all extents are constants; nothing otherwise. `function`: how many operations an
/// elementary function counts as.
std::optional<Cost> cost_of(const Kernel& kernel, double function = 1);

/// Whether some statement applies the operation.
bool applies(const Kernel& kernel, ScalarOp op);

}  // namespace tenon
