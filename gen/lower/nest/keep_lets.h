// Values that the root of a nest reads from memory, for phases that come after.
#pragma once

#include <vector>

#include "ir/nest/loop_nest.h"

namespace tenon {

/// `root` with every number that it reads by a let stored to a buffer of its own, which is added to `buffers`, and read
/// again from there: phases of their own read what a name stands for once more, and the tensor may be overwritten
/// until then, where the result is in place. As it is where no parallel loop follows.
Block keep_lets(Block root, std::vector<Buffer>& buffers);

}  // namespace tenon
