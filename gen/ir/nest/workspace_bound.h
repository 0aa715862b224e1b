// The maximum workspace and the maximum number of iterations of a nest whose sizes are known only as ranges.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/nest/loop_nest.h"

namespace tenon {

/// Bytes that are enough for every value of the kernel's sizes inside their ranges, each buffer rounded up to 64;
/// nothing where a buffer's size has no bound (an attribute, a size without an end).
std::optional<int64_t> maximum_workspace_bytes(const LoopNest& nest);
/// The same for the buffers that each worker has for itself, which the other number leaves out.
std::optional<int64_t> maximum_worker_bytes(const LoopNest& nest);
/// The most iterations of the only loop of a nest, which declarations precede; nothing where it has no bound.
std::optional<int64_t> maximum_iterations(const LoopNest& nest);

}  // namespace tenon
