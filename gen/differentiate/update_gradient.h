// The chain rule through updates other than sums: gradients of the combined values and of the previous one.
#pragma once

#include <functional>

#include "algebra/fresh_names.h"

namespace tenon {

struct UpdateGradient {
  Expr combined;  ///< of the update's value, for its loop variables
  Expr before;    ///< of what the update finds, at `element`
};

/// The gradient of what an update leaves in its target.
struct UpdateAdjoint {
  std::vector<LoopVar> element;                      ///< the variables of an element of the target
  std::function<Expr(const std::vector<Expr>&)> at;  ///< the gradient of an element
};

/// `update` is last=, max=, min= or *=; `before` reads what an element of the target was, null for last=. Statements
/// that note which value an element has, or the product of the others, are put after those of the kernel.
UpdateGradient update_gradient(Kernel& kernel, const KernelStatement& update, const Expr& before,
                               const UpdateAdjoint& adjoint, FreshNames& names);

}  // namespace tenon
