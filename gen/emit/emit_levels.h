// Loop nests of a library or a plan at every level → C.
#pragma once

#include <vector>

#include "emit/kernel_to_c.h"
#include "ir/nest/lowered_library.h"
#include "ir/plan/execution_plan.h"
#include "ir/plan/lowered_plan.h"
#include "ir/text/library_text.h"
#include "ir/text/model_text.h"

namespace tenon {

/// Functions of every kernel at every level that has a body of its own, printed in parallel. Printed kernels are freed:
/// the nests of a whole library are hundreds of megabytes.
LibraryTexts emit_library(LoweredLibrary library, const EmitOptions& options);

/// The functions of every step at every level. Functions that differ in numbers alone become one.
std::vector<ModelLevel> emit_model(const ExecutionPlan& plan, const LoweredPlan& lowered, const EmitOptions& options);

}  // namespace tenon
