// The gradients of a kernel with respect to some of its tensors, as one kernel.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "differentiate/scalar_derivative.h"
#include "ir/kernel/kernel.h"

namespace tenon {

/// A gradient that is asked for.
struct WantedGradient {
  int wrt = 0;                ///< the tensor
  int result = 0;             ///< its gradient, an output of the kernel that no statement defines yet
  std::vector<Expr> repeats;  ///< per dim of `wrt`: how often its elements are repeated; null: once
};

struct GradientRequest {
  std::vector<WantedGradient> wanted;
  std::vector<std::pair<int, int>> cotangents;  ///< output → the input with its gradient
  bool keeps_marks = false;                     ///< stop(x) and stated derivatives: another gradient is made of it
};

/// The kernel, or why there is none.
struct GradientKernel {
  std::optional<Kernel> kernel;
  std::string why;
};

/// `forward` with the gradients' statements after those of its own that they need; outputs of it become intermediates.
GradientKernel gradient_kernel(const Kernel& forward, const GradientRequest& request, const DerivativeTable& rows);

}  // namespace tenon
