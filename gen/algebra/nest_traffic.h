// The number of bytes that a nest moves to and from each of its buffers.
#pragma once

#include <vector>

#include "ir/nest/loop_nest.h"

namespace tenon {

/// Bytes that the loads and stores of one run move, by buffer: an estimate for the largest sizes, to compare buffers
/// with. Bounds of loops that data decide count as one iteration, the two sides of a condition as half of each; frames
/// are not counted.
std::vector<double> bytes_moved(const LoopNest& nest);

}  // namespace tenon
