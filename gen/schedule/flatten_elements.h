// Kernels that work element by element, as one loop over all elements.
#pragma once

#include "ir/kernel/kernel.h"

namespace tenon {

/// The kernel with one axis instead of several, where its statements only read elements at the index that they write,
/// of dense tensors of one fixed shape, and single values; as it is where they do more. Short last axes, such as those
/// of 3x3 filters, fill no vector.
Kernel with_flat_elements(Kernel k);

}  // namespace tenon
