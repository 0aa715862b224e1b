// Lines that windows are read from, made a block of rows ahead.
#pragma once

#include "lower/tree/loop_tree.h"

namespace tenon {

/// for y: (line = …; Y[y,x] = … line[x + s] …): the lines of some rows are made, and then these rows of Y. A vector
/// that reads what several stores have just written waits until they are in the cache; here other rows are in between.
void block_lines(Kernel&, LoopTree&);

}  // namespace tenon
