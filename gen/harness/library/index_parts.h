// Attributes that kernels compute indices with, such as stride and pad of X[stride*h + r - pad]: these sums, and the
// products of factors with extents, have to fit in 64 bits, also where a kernel computes them outside of the loops that
// would use them.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "ir/kernel/library.h"
#include "ir/nest/c_ast.h"

namespace tenon {

enum class IndexPart { Term, Factor };

/// Name and element (0 for a number) of an attribute; all elements of a list with one for each dimension are one entry.
using IndexParts = std::map<std::pair<std::string, int>, IndexPart>;

IndexParts index_parts(const LibraryOp& op);
/// What an attribute may be at most, and at least with a minus.
CExpr most_of(IndexPart part);

}  // namespace tenon
