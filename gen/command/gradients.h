// `tenon lib --grad`: which gradients a library has.
#pragma once

#include <string>

#include "command/select.h"

namespace tenon {

/// What chosen_kernels gives, and the gradients of those ops. Under --ops a gradient can be named by itself, as in
/// `relu_grad`; the run stops where one that is named cannot be derived.
Library kernels_and_gradients(Run& run, const OpLibrary& defs, const LibOptions& o);

}  // namespace tenon
