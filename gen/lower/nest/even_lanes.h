// Which lanes of two vectors are every second element of a line.
#pragma once

#include <vector>

#include "ir/nest/isa.h"

namespace tenon {

/// Whether the level's vectors are several units of 128 bits, and one instruction picks within these only.
bool picks_within_units(const Isa& isa);

/// The even elements of two vectors, the second of which begins `distance` elements after the first. `in_order` is the
/// pick in the order of the elements. `pick` stays within units of 128 bits, where that takes one instruction in place
/// of two; `order` puts what is computed from it in the order of the elements. `order` is empty where `pick` is in
/// order already.
struct EvenLanes {
  std::vector<int> in_order, pick, order;
};
EvenLanes even_lanes(const Isa& isa, DType type, int distance);

}  // namespace tenon
