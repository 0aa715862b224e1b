// Tensors with split or rearranged dims as arguments and results: a caller and the op that it calls agree on the stored
// dims.
#pragma once

#include "library/scope.h"

namespace tenon {

/// For each logical dim of a tensor the stored one that it is in; those that share one follow each other, outermost
/// first.
using StoredDims = std::vector<int>;

/// Where the parts of split dims are one dim each.
StoredDims joined_dims(const BoundTensor& t, const TensorDef& def);
/// The same of a value that has no shape of its own: `subs` are those of the statement that defines it.
StoredDims joined_dims(const BoundTensor& t, const std::vector<Syntax>& subs);
/// Whether every logical dim is a stored one, in the same order.
bool is_plain(const StoredDims& dims);

/// Extents of the stored dims, from those of the logical ones.
std::vector<Expr> stored_extents(const std::vector<Expr>& extents, const StoredDims& dims);

/// A temp that holds the same elements as `t` in its stored dims.
BoundTensor stored_view(Kernel& kernel, const BoundTensor& t, const StoredDims& dims);

/// A statement that gives `target` the elements of `from`. The stored dims of both are the same.
void copy_stored(Kernel& kernel, const BoundTensor& target, const StoredDims& target_dims, const BoundTensor& from,
                 const StoredDims& from_dims);

}  // namespace tenon
