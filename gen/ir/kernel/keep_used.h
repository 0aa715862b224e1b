// Leaves the sizes and attributes that a kernel of a library reads.
#pragma once

#include "ir/kernel/library.h"

namespace tenon {

/// Drops the others, and facts about them.
void keep_used(LibraryKernel& kernel);

}  // namespace tenon
