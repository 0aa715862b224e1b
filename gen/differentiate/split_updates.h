// Updates other than sums get a value of their own to update: Y = a; Y max= b → Y_before = a; Y = Y_before; Y max= b.
// The previous values and the combined ones are then tensors that a derivative can read.
#pragma once

#include <functional>

#include "algebra/fresh_names.h"

namespace tenon {

/// Statements for which `applies` is false stay as they are. Each update that is split follows the statement that
/// copies what it updates.
void split_updates(Kernel& kernel, const std::function<bool(const KernelStatement&)>& applies, FreshNames& names);

/// The same with every read of `from` one of `to`; of statements also the target.
void rename_tensor(KernelStatement& statement, int from, int to);

}  // namespace tenon
