// Convolutions whose windows are a case of their own, for which there are better bodies: one filter a channel, and
// windows of one element.
#pragma once

#include <vector>

#include "algebra/contraction.h"

namespace tenon {

/// Where `holds` is true at run time, `kernel` is the same contraction with what that says put in.
struct WindowCase {
  Expr holds;  ///< over sizes and attributes
  Kernel kernel;
};

/// The cases of a convolution whose extents and attributes are known at the call, in the order in which they are
/// tested.
std::vector<WindowCase> window_cases(const Kernel& kernel, const Contraction& c);

}  // namespace tenon
