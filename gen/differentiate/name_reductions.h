// Every reduction becomes the whole value of a statement: Y[i] = f(sum[k](X[i, k])) → r[i] = sum[k](X[i, k]), Y[i] =
// f(r[i]). What a derivative needs of a reduction is then an element of a tensor, not a loop in a loop.
#pragma once

#include <functional>

#include "algebra/fresh_names.h"

namespace tenon {

/// Statements for which `applies` is false stay as they are. False where a reduction cannot have a tensor of its own:
/// its size depends on where it is.
bool name_reductions(Kernel& kernel, const std::function<bool(const KernelStatement&)>& applies, FreshNames& names);

}  // namespace tenon
