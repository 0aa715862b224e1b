// What a kernel costs, as formulas over its sizes.
#pragma once

#include <string>

#include "ir/kernel.h"

namespace tenon {

/// Sums of products such as "2*K*M*N + M*N"; numbers alone where all extents are constants.
struct CostFormula {
  std::string operations;  ///< scalar operations: arithmetic, comparisons, elementary functions; casts and index arithmetic are free
  std::string bytes;       ///< every input read once, every output written once
};

/// The cost of one call.
CostFormula cost_formula(const Kernel& kernel);

}  // namespace tenon
