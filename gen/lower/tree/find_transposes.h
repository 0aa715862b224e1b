// Copies that turn rows into columns: loop nests that read along one variable and write along another.
#pragma once

#include "ir/nest/isa.h"
#include "lower/tree/loop_tree.h"

namespace tenon {

/// Replaces the two loops of such a nest by a transposed tile; loops that stood between them move outside.
void find_transposes(const Kernel&, const Isa&, LoopTree&);

}  // namespace tenon
