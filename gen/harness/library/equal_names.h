// Two ops of a library that need one C name or one file.
#pragma once

#include "ir/kernel/library.h"
#include "ir/text/library_text.h"
#include "support/diagnostics.h"

namespace tenon {

/// An error for each op with a name that another one has: `x_shape` is a function of the op x, and may be one of the
/// op x_shape; x_portable.c has kernels of x, and may have the checks of x_portable.
Diagnostics equal_names(const Library& library, const LibraryTexts& texts, bool threads);

}  // namespace tenon
