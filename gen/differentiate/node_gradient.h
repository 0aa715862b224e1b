// The gradient of an operator of a graph, whose extents and attributes are known.
#pragma once

#include <set>

#include "differentiate/gradient_kernel.h"

namespace tenon {

/// `forward` is the kernel of the operator; `wrt` names one of its inputs. The gradient reads gradient_of(forward, Y)
/// for each output Y that `cotangents` names, and has one output, a tensor of the shape of the input. Inputs that it
/// does not read are gone. `keeps_marks` as in the request.
GradientKernel node_gradient(const Kernel& forward, const std::string& wrt, const std::set<std::string>& cotangents,
                             const DerivativeTable& rows, bool keeps_marks = false);

/// The name of the gradient of the tensor `name`: `dY`, with a number appended if the kernel has a tensor of this name.
std::string gradient_of(const Kernel& forward, const std::string& name);

}  // namespace tenon
