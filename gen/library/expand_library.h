// OpLibrary × selection → Library: every body that the chosen definitions need, over dtypes, ranks and presence of
// optional inputs.
#pragma once

#include <string>
#include <vector>

#include "ir/kernel/library.h"
#include "support/result.h"

namespace tenon {

struct LibrarySelection {
  std::vector<std::string> ops;  ///< names; must exist
  std::vector<DType> dtypes;     ///< keys; empty = what each definition allows
};

/// Bodies are made per dtype of the key and of the other type variables (index variables always i32 and i64). An op
/// that accepts none of the dtypes is left out; if that leaves nothing, it is an error.
Result<Library> expand_library(const OpLibrary& defs, const LibrarySelection& selection);

/// The same kernels as they are differentiated: each type has a body of its own, broadcast dimensions are all there,
/// and stop(x) is marked. Ops and types without a floating input and a floating output are left out; that may leave
/// nothing.
Library expand_for_gradients(const OpLibrary& defs, const LibrarySelection& selection);

/// Definitions whose bodies depend on the number of operands or on a permutation in a way that only graphs, which know
/// both, can use.
bool needs_graph(const OpDef& def);

}  // namespace tenon
