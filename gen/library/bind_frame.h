// A definition with a C template → the call of it.
#pragma once

#include "library/scope.h"

namespace tenon {

/// Finds the frame's parameters among the names of the definition, which the reader has matched, and gives `kernel` a
/// tensor of the role for each extent that the frame writes.
FrameCall bind_frame(const std::shared_ptr<const Frame>& frame, const Scope& scope, Role extents, Kernel& kernel);

}  // namespace tenon
