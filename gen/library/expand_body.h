// Body of a definition → statements of a kernel, in a scope whose types, sizes, packs, attributes and tensors are
// bound.
#pragma once

#include "library/scope.h"
#include "support/diagnostics.h"

namespace tenon {

/// Appends the body's statements, temps and checks to `kernel`. `scope` names the definition, and the inputs and
/// outputs that `kernel` already has; composites that the body calls are expanded in place. A body that calls C
/// templates, or finds extents in the data, becomes parts. Errors of typing are reported with their places.
void expand_body(const OpLibrary& library, Scope& scope, Kernel& kernel, Diagnostics& diagnostics);

/// Finds the frame's parameters among the names of the definition, which the reader has matched, and gives `kernel` a
/// tensor of the role for each extent that the frame writes.
FrameCall bind_frame(const std::shared_ptr<const Frame>& frame, const Scope& scope, Role extents, Kernel& kernel);

}  // namespace tenon
