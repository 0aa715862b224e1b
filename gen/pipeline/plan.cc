// The stages from graph to plan, in order.
#include "pipeline/plan.h"

#include "library/bind_node.h"
#include "library/expand_node.h"
#include "lower/kernel/kernel_ranges.h"
#include "schedule/form_kernels.h"
#include "schedule/place_views.h"
#include "schedule/prepack_weights.h"
#include "schedule/share_kernels.h"

namespace tenon {
namespace {

/// Parts that are made of sizes alone in the form that the graph's extents have, so that an extent is spelled the same
/// by who makes a value and by who reads it.
Expr in_graph_form(const Expr& e) {
  if (!e || is_leaf(e)) return e;
  if (const auto size = e->type == DType::I64 ? to_size(e) : std::nullopt) return to_expr(*size);
  return map_children(e, [](const Expr& c) { return in_graph_form(c); });
}

}  // namespace

std::optional<std::vector<NodeKernel>> node_kernels(const OpLibrary& defs, const Graph& graph, PlanFailure& failure) {
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
    auto call = expand_node(defs, *defs.op(n.op), given, n.attrs, sizes, failure.diagnostics);
    if (!call) {
      failure.origin = n.origin;
      return std::nullopt;
    }
    for (const ValueId v : n.outputs) k.values.push_back(v);
    k.kernel = call->kernel.sizes.empty() ? std::move(call->kernel)
                                          : map_exprs(call->kernel, [](const Expr& e) { return in_graph_form(e); });
    k.values.resize(k.kernel.tensors.size(), kNoValue);
    out.push_back(std::move(k));
  }
  return out;
}

std::optional<ExecutionPlan> plan_graph(const OpLibrary& defs, const Graph& graph, const PlanOptions& options,
                                        PlanFailure& failure) {
  auto nodes = node_kernels(defs, graph, failure);
  if (!nodes) return std::nullopt;
  std::vector<FusedKernel> alone;
  for (size_t i = 0; i < nodes->size(); ++i) {
    NodeKernel& k = (*nodes)[i];
    k.kernel.fused = {graph.nodes[i].op};
    alone.push_back({std::move(k.kernel), std::move(k.values), {graph.nodes[i].origin}, graph.nodes[i].region, {}});
  }
  ExecutionPlan plan = form_kernels(graph, std::move(alone), options.fuse);
  if (options.views) place_views(plan);
  prepack_weights(plan);
  share_kernels(plan);
  return plan;
}

}  // namespace tenon
