// Kernels and expressions where some sizes and attributes are known.
#pragma once

#include "ir/kernel/kernel.h"
#include "ir/kernel/library.h"

namespace tenon {

/// The expression with known values substituted, not simplified.
Expr with_known(const Expr& e, const KnownValues& known);
/// The kernel with known values substituted.
Kernel with_known(const Kernel& k, const KnownValues& known);

/// The condition that each of them has its known value; floating-point zeros are compared with their sign. `values`
/// must not be empty.
Expr equal_to(const KnownValues& values);

}  // namespace tenon
