// One definition → one library kernel: sizes and attributes are run-time values, packs follow their plan.
#pragma once

#include <map>
#include <optional>

#include "ir/kernel/library.h"
#include "support/diagnostics.h"

namespace tenon {

/// What distinguishes one body of a definition from the next.
struct SymbolicCase {
  std::map<std::string, DType> types;
  std::vector<bool> present;  ///< per input
  std::map<std::string, PackPlan> packs;
  bool for_gradients = false;  ///< the kernel will be differentiated
};

/// The kernel and where its sizes come from; nothing after an error in the definition's types.
std::optional<LibraryKernel> expand_symbolic(const OpLibrary& defs, const OpDef& def, const SymbolicCase& what,
                                             Diagnostics& diagnostics);

}  // namespace tenon
