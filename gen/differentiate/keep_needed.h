// Leaves what one output of a kernel needs.
#pragma once

#include "algebra/body_steps.h"

namespace tenon {

/// Drops statements and calls that the output does not depend on, and tensors that are neither read nor written then.
/// Checks stay: a call is refused for the same data whatever is asked for.
void keep_needed(Kernel& kernel, int output, BodySteps& steps);

}  // namespace tenon
