// Where each intermediate tensor and each kernel's workspace lies in the arena.
#pragma once

#include "ir/execution_plan.h"

namespace tenon {

/// Assigns offsets so that buffers that are needed at the same time do not overlap; sets arena_bytes. Greedy by size: the greatest
/// first, each at the lowest place where nothing that lives with it lies. Each step's `scratch` is live at that step alone.
void plan_memory(ExecutionPlan& plan);

/// First and last step at which each buffer is needed; {0, -1} for those that are never used. What a loop needs from outside is needed
/// from its first step to its last.
struct Lifetime {
  int first = 0;
  int last = -1;
};
std::vector<Lifetime> lifetimes(const ExecutionPlan& plan);

}  // namespace tenon
