// The calls of a model's kernels at one level, with the loops and branches around them.
#pragma once

#include <string>
#include <vector>

#include "harness/model/model_buffers.h"
#include "ir/text/model_text.h"

namespace tenon {

/// What the statements of steps share.
struct StepFrame {
  std::string name;   ///< the model's prefix
  std::string upper;  ///< that of its constants
  const ModelArena& arena;
  const ModelBuffers& buffers;
  CBlock locals;                      ///< variables with the fields of `call`; a function declares those that it reads
  std::vector<std::string> counters;  ///< of loops, which functions for the pool read in `call`
  int workers = 1;
};

/// The counters of loops in which a level has steps that workers share.
std::vector<std::string> shared_counters(const ExecutionPlan& plan, const std::vector<ModelLevel>& levels);

/// The statements that execute all steps: calls, loops, branches, copies.
CBlock step_statements(const ExecutionPlan& plan, const ModelLevel& level, const StepFrame& frame);

/// The functions that run a part of a phase's iterations on one worker, for the pool of the context.
std::vector<CFunction> task_functions(const ExecutionPlan& plan, const ModelLevel& level, const StepFrame& frame);

/// The declarations of `locals` that the statements read, followed by these.
CBlock with_locals(const CBlock& locals, CBlock statements);

}  // namespace tenon
