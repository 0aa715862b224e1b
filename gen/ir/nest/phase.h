// A phase of a kernel: a serial part, or a parallel loop whose iterations workers share. Each is a separate nest.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/nest/loop_nest.h"

namespace tenon {

/// All phases have the buffers of the nest, at the same places of the workspace. A buffer that one parallel phase alone
/// uses is `per_worker`: it is in the memory of the worker that runs the iterations.
struct Phase {
  LoopNest nest;  ///< parallel: declarations, what each worker prepares, and one Parallel loop from 0 in steps of 1
  bool parallel = false;
  std::optional<int64_t> iterations;  ///< of a parallel phase, where they are known
  int64_t grain = 1;                  ///< iterations that a worker takes at once, or more
  LoopNest count;  ///< where they are not: declarations and an empty loop with that number of iterations
};

}  // namespace tenon
