// Ops of a library → the ops that compute their gradients.
#pragma once

#include <map>
#include <string>

#include "ir/kernel/library.h"

namespace tenon {

struct GradientOps {
  Library library;                         ///< f_grad for each f that has a gradient, sorted by name
  std::map<std::string, std::string> why;  ///< f → why it has none
};

/// `forward` was expanded for gradients. The gradients of f's floating outputs come before its inputs; f_grad has an
/// output for each input that may be floating, which a call may leave out.
GradientOps gradient_ops(const Library& forward, const OpLibrary& defs);

/// Why a definition has no gradient by its nature: it says `grad: none`, or nothing of it is floating; empty otherwise.
std::string without_gradient(const OpDef& def);
/// That, or why none can be derived; empty where one may be.
std::string no_gradient(const OpDef& def);

/// `relu_grad` is what the gradient of `relu` is called.
std::string gradient_name(const std::string& op);

}  // namespace tenon
