// The kernels of an execution plan as loop nests, level by level, and the workspace that they need.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/nest/isa.h"
#include "ir/nest/loop_nest.h"

namespace tenon {

/// A phase of a kernel: a serial part, or a parallel loop whose iterations workers share. Each is a separate nest. All
/// phases have the buffers of the nest, at the same places of the workspace. A buffer that one parallel phase alone
/// uses is `per_worker`: it is in the memory of the worker that runs the iterations.
struct Phase {
  LoopNest nest;  ///< parallel: declarations, what each worker prepares, and one Parallel loop from 0 in steps of 1
  bool parallel = false;
  std::optional<int64_t> iterations;  ///< of a parallel phase, where they are known
  int64_t grain = 1;                  ///< iterations that a worker takes at once, or more
  LoopNest count;  ///< where they are not: declarations and an empty loop with that number of iterations
};

/// One step at one level. A step that calls the kernel of an earlier one has no nest.
struct LoweredStep {
  LoopNest nest;
  std::vector<Phase> phases;            ///< what workers share instead of the nest; empty: one thread runs the nest
  std::vector<std::string> one_thread;  ///< why one thread runs the nest, or which of the phases it runs
};

struct LoweredLevel {
  const Isa* isa = nullptr;
  std::vector<LoweredStep> steps;  ///< parallel to the plan's steps
};

/// Bytes that a step needs at any of the levels.
struct StepWorkspace {
  int64_t shared = 0;
  int64_t per_worker = 0;
};

struct LoweredPlan {
  std::vector<LoweredLevel> levels;
  std::vector<StepWorkspace> workspaces;  ///< parallel to the plan's steps
};

/// All nests, level by level.
std::string to_text(const LoweredPlan& plan);
/// Errors in any of the nests, with its name; empty when all are valid.
std::vector<std::string> verify(const LoweredPlan& plan);

}  // namespace tenon
