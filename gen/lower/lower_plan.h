// The kernels of an execution plan at every level.
#pragma once

#include <vector>

#include "ir/nest/blueprint.h"
#include "ir/plan/execution_plan.h"
#include "ir/plan/lowered_plan.h"

namespace tenon {

/// The kernels that are lowered, in the order of the steps: of twins the first.
std::vector<const Kernel*> kernels_of(const ExecutionPlan& plan);

/// `workers` > 1: steps that take long enough are split into phases that workers share.
LoweredPlan lower_plan(const ExecutionPlan& plan, const Blueprints& blueprints, const std::vector<const Isa*>& levels,
                       int workers);

}  // namespace tenon
