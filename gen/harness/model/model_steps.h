// The calls of a model's kernels at one level, with the loops and branches around them.
#pragma once

#include <functional>

#include "harness/model/model_arena.h"
#include "harness/model/model_output.h"

namespace tenon {

/// How a buffer that is not a slice is spelled.
using BufferSpelling = std::function<std::string(int buffer, bool writes)>;

/// What the texts of steps share.
struct StepFrame {
  std::string name;    ///< the model's prefix
  std::string upper;   ///< that of its constants
  std::string fields;  ///< declarations that make places readable from `call`
  const ModelArena& arena;
  int workers = 1;
};

/// The statements that carry out all steps: calls, loops, branches, copies.
std::string steps_text(const ExecutionPlan& plan, const ModelLevel& level, const StepFrame& frame,
                       const BufferSpelling& pointer);

/// The functions that run a part of a phase's iterations on one worker, for the pool of the context.
std::string tasks_text(const ExecutionPlan& plan, const ModelLevel& level, const StepFrame& frame,
                       const BufferSpelling& pointer);

/// An extent in C: run-time sizes are fields of `in`, those that steps write elements of `written`, counters of loops
/// are variables.
std::string extent_text(const ExecutionPlan& plan, const SizeExpr& extent);
/// The condition under which extents that have to be equal are not: "a != b", or "b < 0" where a is the maximum of b
/// and 0.
std::string differ_text(const ExecutionPlan& plan, const EqualExtents& e);

}  // namespace tenon
