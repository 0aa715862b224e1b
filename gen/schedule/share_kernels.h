// Kernels that are the same but for names.
#pragma once

#include "ir/plan/execution_plan.h"

namespace tenon {

/// Sets PlanStep::twin where an earlier step's kernel does the same to tensors of the same shapes: one function serves
/// both.
void share_kernels(ExecutionPlan& plan);

/// The kernel with names that depend on its structure alone; equal texts of two such kernels mean equal kernels.
std::string structure_of(const Kernel& kernel);

}  // namespace tenon
