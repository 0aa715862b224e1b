// The gradient of an operator of a graph, whose extents and attributes are known.
#pragma once

#include <set>

#include "differentiate/gradient_kernel.h"

namespace tenon {

/// `forward` is the kernel of the operator; `wrt` names one of its inputs. The gradient reads `dY` for each output Y
/// that `cotangents` names, and has the output `dX`, a tensor of the shape of the input X. Inputs that it does not read
/// are gone.
GradientKernel node_gradient(const Kernel& forward, const std::string& wrt, const std::set<std::string>& cotangents,
                             const DerivativeTable& rows);

}  // namespace tenon
