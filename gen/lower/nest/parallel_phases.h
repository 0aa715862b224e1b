// A nest as phases: serial parts, and parallel loops whose iterations workers share. Each phase is a nest of its own.
#pragma once

#include <optional>
#include <vector>

#include "ir/nest/loop_nest.h"

namespace tenon {

/// All phases have the buffers of the nest, at the same places of the workspace. A buffer that one parallel phase alone
/// uses is `per_worker`: it lies in the memory of the worker that runs the iterations.
struct Phase {
  LoopNest nest;  ///< parallel: declarations, what each worker prepares, and one Parallel loop from 0 in steps of 1
  bool parallel = false;
  std::optional<int64_t> iterations;  ///< of a parallel phase, where they are known
  int64_t grain = 1;                  ///< iterations that a worker takes at once, or more
  LoopNest count;                     ///< where they are not: declarations and an empty loop of so many iterations
};

/// The phases in order; empty where the nest has no parallel loop that can be taken apart. Loops of one iteration are
/// opened, loops directly inside each other become one.
std::vector<Phase> parallel_phases(const LoopNest& nest);

}  // namespace tenon
