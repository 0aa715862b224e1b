// Definition → library kernels: each with sizes and attributes as run-time values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ir/kernel/library.h"
#include "ir/op/op_def.h"
#include "support/diagnostics.h"

namespace tenon {

/// The parameters that distinguish the bodies of a definition.
struct SymbolicCase {
  std::map<std::string, DType> types;
  std::vector<bool> present;  ///< per input
  std::map<std::string, PackPlan> packs;
  bool for_gradients = false;  ///< the kernel will be differentiated
};

/// The kernel and where its sizes come from; nothing after an error in the definition's types.
std::optional<LibraryKernel> expand_symbolic(const OpLibrary& defs, const OpDef& def, const SymbolicCase& what,
                                             Diagnostics& diagnostics);

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

/// The elements that the body takes for an input that is not given: {0, 1} where it reads `opt(Roi[0], 0)` and
/// `opt(Roi[1], 1)`; {1} where all dimensions may be repeated and every read is `opt(W[…], 1)`: one element with
/// strides of 0. Empty where the shape depends on the call in another way, where two reads disagree, or where the input
/// is named in another way.
std::vector<int64_t> stand_in(const OpDef& def, const TensorDef& input);

/// Whether an input that is not given is one element with strides of 0, although its dimensions may not be repeated: a
/// term for each channel of a group. Kernels take the stride from the call.
bool repeats_stand_in(const OpDef& def, const TensorDef& input);

/// Calls with an unsigned type use the signed type's kernel if it computes the same bits: sums and products wrap
/// identically. The signed kernel is kept because there are instructions for products of narrow signed numbers. `types`
/// and the kernel change, `call_types` stay.
void share_signs(LibraryOp& op);

}  // namespace tenon
