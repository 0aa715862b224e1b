// What people read about a plan: its kernels with the reasons for them, its memory as a table and as a picture.
#pragma once

#include <string>

#include "ir/plan/execution_plan.h"

namespace tenon {

/// A paragraph a kernel: operators, work, why they are one kernel, and the blueprint that `blueprints` names for the
/// step.
std::string explain_kernels(const ExecutionPlan& plan, const std::vector<std::string>& blueprints);

/// A row a buffer: name, where it lies, bytes, offset in the arena, first and last step; then the arena and what lives
/// at most at once.
std::string memory_table(const ExecutionPlan& plan);

/// A line about what is kept from the forward pass until gradients read it; empty where the graph has none.
std::string kept_text(const Graph& graph, const ExecutionPlan& plan);

/// The arena as an SVG picture: steps from left to right, bytes from bottom to top, a box a buffer.
std::string memory_picture(const ExecutionPlan& plan);

}  // namespace tenon
