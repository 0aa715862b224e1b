// Fused kernels and regions → execution plan: which buffer each value is in.
#pragma once

#include "ir/plan/execution_plan.h"
#include "schedule/fused_kernel.h"

namespace tenon {

/// The plan of `kernels`, which are in the order in which they run; `regions` are the graph's. A value has a buffer
/// of its own, except: a carried value and its result share one, and so does what the next iteration sees if nobody
/// needs the old value any more (else it is copied); a branch writes its results where the outside reads them; slices
/// are places in the buffer of the whole. Offsets in the arena are not assigned yet.
ExecutionPlan assign_buffers(const Graph& graph, const std::vector<Region>& regions, std::vector<FusedKernel> kernels);

}  // namespace tenon
