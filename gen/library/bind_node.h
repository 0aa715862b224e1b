// A node of a graph → the binding of its definition: attributes and extents of the graph become expressions of the
// kernel.
#pragma once

#include "ir/graph/graph.h"
#include "library/bind_shapes.h"

namespace tenon {

/// An extent as an expression over the kernel's sizes, and back; nothing where the expression is not an extent.
Expr to_expr(const SizeExpr& size);
std::optional<SizeExpr> to_size(const Expr& expr);

/// The type variable of `def` that no input binds: nodes say it by their attribute `dtype` (cast, arange, full, randn).
/// "" if there is none.
std::string free_type(const OpDef& def);

/// A node that calls an op: inputs in the definition's order. `dtype` among the attributes is the free type where the
/// definition has no attribute of that name. Extents may depend on the graph's sizes.
struct NodeCall {
  const OpLibrary& library;
  const OpDef& def;
  std::vector<GivenTensor> inputs;
  Attributes attrs = {};
};

/// Reports and returns nothing where the node does not fit.
std::optional<BoundCall> bind_node(const NodeCall& node, Diagnostics& diagnostics);
/// bind_node, then the body. Sizes are declared with the ranges of `sizes`. `for_gradients`: stop(x) is kept in it.
std::optional<BoundCall> expand_node(const NodeCall& node, const std::vector<GraphSize>& sizes,
                                     Diagnostics& diagnostics, bool for_gradients = false);

}  // namespace tenon
