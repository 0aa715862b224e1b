// A definition with a C template → the call of it.
#pragma once

#include "library/scope.h"

namespace tenon {

/// Finds the frame's parameters among the names of the definition, which the reader has matched, and gives `kernel` the
/// call and an output for each extent that the frame writes.
void bind_frame(const std::shared_ptr<const Frame>& frame, const Scope& scope, Kernel& kernel);

}  // namespace tenon
