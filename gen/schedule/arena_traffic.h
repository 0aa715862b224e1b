// The number of bytes that a call moves to and from each part of the arena.
#pragma once

#include <vector>

#include "ir/plan/execution_plan.h"
#include "ir/plan/lowered_plan.h"

namespace tenon {

struct ArenaTraffic {
  std::vector<double> buffers;    ///< of the plan: 0 for those in other memory; views count as the buffer itself
  std::vector<double> workspace;  ///< of each step
};

/// Loads and stores of the kernels at a level, the copies of loops and what they decide by, times the iterations of the
/// loops around them. A kernel touches each of its tensors at least once.
ArenaTraffic arena_traffic(const ExecutionPlan& plan, const LoweredLevel& level);

}  // namespace tenon
