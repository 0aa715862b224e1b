// The description of a plan for people: its kernels with the reasons for them, its memory as a table and as a diagram.
#pragma once

#include <string>
#include <vector>

#include "ir/plan/execution_plan.h"

namespace tenon {

/// How a step was lowered at the level of interest.
struct LoweredAs {
  std::string blueprint;
  std::vector<std::string> one_thread;  ///< why one thread runs it, or parts of it
};

/// A paragraph a kernel: operators, work, why they are one kernel, and how it was lowered.
std::string explain_kernels(const ExecutionPlan& plan, const std::vector<LoweredAs>& lowered);

/// One row per buffer: name, location, bytes, offset in the arena, first and last step; then the arena and the maximum
/// number of live bytes.
std::string memory_table(const ExecutionPlan& plan);

/// A line about the values kept from the forward pass until gradients read them; empty where the graph has none.
std::string kept_text(const Graph& graph, const ExecutionPlan& plan);

/// The arena as an SVG diagram: steps from left to right, bytes from bottom to top, one box per buffer.
std::string memory_picture(const ExecutionPlan& plan);

}  // namespace tenon
