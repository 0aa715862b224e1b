// Keeps the stack of a library's calls small.
#pragma once

#include "ir/nest/loop_nest.h"

namespace tenon {

/// Puts large arrays of a body into the workspace.
void move_large_arrays(LoopNest& nest);

}  // namespace tenon
