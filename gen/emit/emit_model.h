// Emits the C of a model's kernels.
#pragma once

#include <vector>

#include "emit/kernel_to_c.h"
#include "ir/plan/execution_plan.h"
#include "ir/plan/lowered_plan.h"
#include "ir/text/model_text.h"

namespace tenon {

/// The functions of every step at every level. Functions that differ in numbers alone become one.
std::vector<ModelLevel> emit_model(const ExecutionPlan& plan, const LoweredPlan& lowered, const EmitOptions& options);

}  // namespace tenon
