// Where each intermediate tensor and each kernel's workspace is in the arena.
#pragma once

#include <string>
#include <vector>

#include "ir/plan/execution_plan.h"
#include "ir/plan/lowered_plan.h"
#include "schedule/pack_blocks.h"

namespace tenon {

/// The number of bytes that a call moves to and from each part of the arena.
struct ArenaTraffic {
  std::vector<double> buffers;    ///< of the plan: 0 for those in other memory; views count as the buffer itself
  std::vector<double> workspace;  ///< of each step
};

/// Loads and stores of the kernels at a level, and the copies and conditions of loops, times the iterations of the
/// loops around them. A kernel touches each of its tensors at least once.
ArenaTraffic arena_traffic(const ExecutionPlan& plan, const LoweredLevel& level);

/// Assigns offsets so that buffers that are needed at the same time do not overlap; sets arena_bytes. Several orders
/// (by size, by lifetime, by both) are packed, each buffer at the lowest offset that no buffer alive at the same time
/// uses; then the order is improved for as long as the arena is larger than what lives at once. Each step's `scratch`
/// is live at that step alone; a view lives in its base. `workspaces` has one entry per step.
ExecutionPlan plan_memory(ExecutionPlan plan, const std::vector<StepWorkspace>& workspaces, int workers);

/// Distributes the blocks placed by plan_memory over several memories: sets plan.memories. Empty, or the value that
/// does not fit and the memory that it would take, in which case the plan is unchanged.
std::string divide_memory(ExecutionPlan& plan, const std::vector<MemoryRegion>& memories, const ArenaTraffic& traffic);

/// Errors in the placement: two buffers that overlap while both are needed, one beyond the end of its memory, a memory
/// beyond its budget, a workspace without space for its workers. Empty when sound.
std::vector<std::string> memory_faults(const ExecutionPlan& plan, int workers);

}  // namespace tenon
