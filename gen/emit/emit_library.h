// Emits the C of a library's kernels.
#pragma once

#include "emit/kernel_to_c.h"
#include "ir/nest/lowered_library.h"
#include "ir/text/library_text.h"

namespace tenon {

/// Functions of every kernel at every level that has a body of its own, printed in parallel. Printed kernels are freed:
/// the nests of a whole library are hundreds of megabytes.
LibraryTexts emit_library(LoweredLibrary library, const EmitOptions& options);

}  // namespace tenon
