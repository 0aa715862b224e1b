// The proof that workers may share a loop: no iteration accesses what another one writes.
#pragma once

#include <string>
#include <vector>

#include "ir/nest/loop_nest.h"

namespace tenon {

/// Why iterations of a parallel phase may access the same shared memory: one line per buffer, with the reason. Empty if
/// it is proved that they do not. `phase` ends in the loop that workers share; each of them does what is before it.
/// `count`: declarations and a loop of as many iterations as the name `end` stands for; empty where the loop's end is a
/// number.
std::vector<std::string> find_shared_writes(const LoopNest& phase, const Block& count);

}  // namespace tenon
