// The calls of a model's kernels at one level, with the loops and branches around them.
#pragma once

#include <functional>

#include "harness/model_output.h"

namespace tenon {

/// The statements that carry out all steps: calls, loops, branches, copies. `pointer(buffer, writes)` spells the place of a buffer that is
/// no slice; `upper` is the prefix of the model's constants.
std::string steps_text(const ExecutionPlan& plan, const ModelLevel& level, const std::string& upper,
                       const std::function<std::string(int buffer, bool writes)>& pointer);

/// An extent in C: run-time sizes are fields of `in`, counters of loops are variables.
std::string extent_text(const ExecutionPlan& plan, const SizeExpr& extent);

}  // namespace tenon
