// Quotients of narrow integers by divisions of floats, which vectors have.
#pragma once

#include "ir/kernel/kernel.h"

namespace tenon {

/// Whether the kernel divides integers of up to 32 bits by others than constants.
bool divides_integers(const Kernel&);

/// These divisions as such of floats with more than twice the bits: their quotient is never rounded to an integer that
/// is not the quotient.
Kernel quotients_by_floats(const Kernel&);

}  // namespace tenon
