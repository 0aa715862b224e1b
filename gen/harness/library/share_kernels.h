// Kernels of one source file whose code is the same have one function.
#pragma once

#include "ir/kernel/library.h"
#include "ir/text/library_text.h"

namespace tenon {

/// Marks the texts of a family that differ from an earlier one only in names and comments as shared, and names its
/// functions for them.
LibraryTexts share_kernels(const Library& library, LibraryTexts texts);

}  // namespace tenon
