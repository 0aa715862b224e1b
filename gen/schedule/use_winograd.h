// Convolutions of a plan computed with fewer multiplications, where that takes less time.
#pragma once

#include <vector>

#include "ir/nest/isa.h"
#include "ir/plan/execution_plan.h"

namespace tenon {

/// Puts convolutions of stride 1 with constant weights into the transformed space of winograd_kernel, with their
/// weights transformed, where a count of operations and bytes says that it pays at the highest of `levels`; none where
/// there is no level with vectors. Sums come out in another order: kernels that forbid that stay as they are.
void use_winograd(ExecutionPlan& plan, const std::vector<const Isa*>& levels);

}  // namespace tenon
