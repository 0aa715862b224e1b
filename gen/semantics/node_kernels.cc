// Expands the definition of each operator for the types and extents that it has in the graph.
#include "semantics/node_kernels.h"

#include <fmt/format.h>

#include <utility>

#include "library/bind_node.h"
#include "library/expand_node.h"

namespace tenon {
namespace {

/// Parts that are made of sizes alone in the form that the graph's extents have, so that an extent is spelled the same
/// by who makes a value and by who reads it.
Expr in_graph_form(const Expr& e) {
  if (!e || is_leaf(e)) return e;
  if (const auto size = e->type == DType::I64 ? to_size(e) : std::nullopt) return to_expr(*size);
  return map_children(e, [](const Expr& c) { return in_graph_form(c); });
}

/// What is wrong with a node, with the node's place: alone, or next to the one in its definition.
Diagnostics placed_at(const std::string& origin, const Diagnostics& diagnostics) {
  Diagnostics out;
  for (Diagnostic d : diagnostics.sorted()) {
    if (d.span.known()) d.notes.push_back("in " + origin);
    else d.where = origin;
    out.add(std::move(d));
  }
  return out;
}

}  // namespace

Result<std::vector<NodeKernel>> node_kernels(const OpLibrary& defs, const Graph& graph, const std::string& file) {
  std::vector<NodeKernel> out;
  const std::vector<GraphSize> sizes = all_sizes(graph);
  for (const Node& n : graph.nodes) {
    std::vector<GivenTensor> given;
    NodeKernel k;
    for (const ValueId v : n.inputs) {
      GivenTensor g;
      if (v != kNoValue) {
        const Value& value = graph.values[static_cast<size_t>(v)];
        g.present = true;
        g.dtype = value.dtype;
        for (const SizeExpr& d : value.dims) g.dims.push_back(to_expr(d));
        k.values.push_back(v);
      }
      given.push_back(std::move(g));
    }
    Diagnostics diagnostics;
    auto call = expand_node(defs, *defs.op(n.op), given, n.attrs, sizes, diagnostics);
    if (!call)
      return placed_at(n.origin.starts_with(file) ? n.origin : fmt::format("{}: {}", file, n.origin), diagnostics);
    for (const ValueId v : n.outputs) k.values.push_back(v);
    k.kernel = call->kernel.sizes.empty() ? std::move(call->kernel)
                                          : map_exprs(call->kernel, [](const Expr& e) { return in_graph_form(e); });
    k.values.resize(k.kernel.tensors.size(), kNoValue);
    out.push_back(std::move(k));
  }
  return out;
}

}  // namespace tenon
