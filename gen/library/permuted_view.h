// A copy in another order of dimensions, seen as a plain copy of a permuted view.
#pragma once

#include <optional>

#include "ir/op/op_def.h"

namespace tenon {

/// `Y[*permute(s, perm)] = X[*s]` with the dims of Y under the let O: permute(S, perm).
struct PermutedView {
  OpDef def;  ///< the same with X: T[*O] and Y[*s] = X[*s]: what kernels do once the call has permuted its view of X
  std::string input;  ///< X
  std::string from;   ///< S
  std::string let;    ///< O
  std::string attr;   ///< perm
};

/// Nothing for definitions of any other form.
std::optional<PermutedView> permuted_view(const OpDef& def);

}  // namespace tenon
