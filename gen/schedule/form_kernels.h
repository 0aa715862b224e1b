// Graph and the kernel of each operator → execution plan: operators fused into kernels, values into buffers.
#pragma once

#include "ir/plan/execution_plan.h"
#include "schedule/fused_kernel.h"

namespace tenon {

/// `nodes`: per node of the graph its kernel, in order. Fuses pointwise operators into what makes their input
/// (epilogue) or reads their output (prologue), leaves reshapes as views of their input, and keeps everything that an
/// output needs. Each step says in its notes why its operators are one kernel. Offsets are not assigned yet.
ExecutionPlan form_kernels(const Graph& graph, std::vector<FusedKernel> nodes, bool fuse);

}  // namespace tenon
