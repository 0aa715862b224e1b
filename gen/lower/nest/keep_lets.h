// Values that the root of a nest reads from memory, for phases that come after.
#pragma once

#include <vector>

#include "ir/nest/loop_nest.h"

namespace tenon {

/// `root` with every number that a let reads stored to a separate buffer, which is added to `buffers`, and read again
/// from there: phases re-evaluate lets, and with results in place the tensor may be overwritten by then. Unchanged if
/// no parallel loop follows.
Block keep_lets(Block root, std::vector<Buffer>& buffers);

}  // namespace tenon
