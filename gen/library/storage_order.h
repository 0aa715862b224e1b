// Stored order, separate from logical order: which rule of `storage` holds, and a body's view of a tensor in another
// order.
#pragma once

#include <vector>

#include "library/scope.h"
#include "library/shape_binder.h"

namespace tenon {

class ExprBuilder;

/// For each stored entry the entry of the logical shape, or empty when both orders are the same. Conditions are known
/// here.
std::vector<int> storage_order(const TensorDef& t, ExprBuilder& expr);
/// The permutation that a rule of storage means.
std::vector<int> order_of(const TensorDef& t, const StorageRule& rule);

/// A tensor of `kernel` that has the layout's logical dims: `tensor` itself when they are its own, else a temp defined
/// by a copy that lowering substitutes away.
int view_of(Kernel& kernel, int tensor, const TensorLayout& layout);

}  // namespace tenon
