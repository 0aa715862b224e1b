// The gradient of a kernel with respect to one of its tensors, as a kernel.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "differentiate/scalar_derivative.h"
#include "ir/kernel/kernel.h"

namespace tenon {

struct GradientRequest {
  int wrt = 0;                                  ///< the tensor
  int result = 0;                               ///< its gradient, an output of the kernel that no statement defines yet
  std::vector<std::pair<int, int>> cotangents;  ///< output → the input with its gradient
  std::vector<Expr> repeats;                    ///< per dim of `wrt`: how often its elements are repeated; null: once
  bool keeps_marks = false;                     ///< stop(x) and stated derivatives: another gradient is made of it
};

/// The kernel, or why there is none.
struct GradientKernel {
  std::optional<Kernel> kernel;
  std::string why;
};

/// `forward` with the gradient's statements after those of its own that they need; outputs of it become intermediates.
GradientKernel gradient_kernel(const Kernel& forward, const GradientRequest& request, const DerivativeTable& rows);

}  // namespace tenon
