// Loops around a scatter and around what it adds up become one.
#pragma once

#include "lower/tree/loop_tree.h"

namespace tenon {

/// Where a kernel scatters into a temp, neighbouring loops of one extent become one if every iteration has elements of
/// its own of all that is written: the temps then need room for one iteration. A transposed convolution goes over
/// images, groups and channels, and keeps the products of one channel instead of those of all images.
void join_scatters(const Kernel&, LoopTree&);

}  // namespace tenon
