// A nest in phases: serial parts, and parallel loops whose iterations workers share.
#pragma once

#include <vector>

#include "ir/nest/phase.h"

namespace tenon {

/// The phases in order; empty where the nest has no parallel loop that can be taken apart. Loops of one iteration are
/// opened, loops directly inside each other become one.
std::vector<Phase> parallel_phases(const LoopNest& nest);

}  // namespace tenon
