// Where each intermediate tensor and each kernel's workspace is in the arena.
#pragma once

#include "ir/plan/execution_plan.h"
#include "ir/plan/lowered_plan.h"

namespace tenon {

/// Assigns offsets so that buffers that are needed at the same time do not overlap; sets arena_bytes. Several orders
/// (by size, by lifetime, by both) are packed, each buffer at the lowest offset that no buffer alive at the same time
/// uses; then the order is improved for as long as the arena is larger than what lives at once. Each step's `scratch`
/// is live at that step alone; a view lives in its base. `workspaces` has one entry per step.
ExecutionPlan plan_memory(ExecutionPlan plan, const std::vector<StepWorkspace>& workspaces, int workers);

/// First and last step at which each buffer is needed, what is in it included; {0, -1} for those that are never used.
/// What a loop needs from outside is needed from its first step to its last.
struct Lifetime {
  int first = 0;
  int last = -1;
};
std::vector<Lifetime> lifetimes(const ExecutionPlan& plan);

/// Bytes of the arena that are in use at each step: no plan needs less than the maximum of them.
std::vector<int64_t> live_bytes(const ExecutionPlan& plan);

}  // namespace tenon
