// Kernels of a signed type and of the unsigned one of its size that do the same to the same bits become one.
#pragma once

#include "ir/kernel/library.h"

namespace tenon {

/// Calls with an unsigned type take the signed type's kernel where that does the same: sums and products wrap alike,
/// and bits are bits. It is the signed one that stays because products of narrow signed numbers have instructions of
/// their own. `types` and the kernel change, `call_types` stay.
void share_signs(LibraryOp& op);

}  // namespace tenon
