// Blueprints to try instead of one that a kernel follows.
#pragma once

#include <vector>

#include "ir/nest/blueprint.h"
#include "ir/nest/isa.h"

namespace tenon {

/// Rows of the kind and level of `base` with other parameters: tiles that fit into the registers, halves and doubles of
/// cache tiles, numbers of accumulators, distances of prefetches. Those that differ in one parameter are first. Without
/// `base`, which none of them equals.
std::vector<Blueprint> candidates_of(const Blueprint& base, const Isa& isa);

}  // namespace tenon
