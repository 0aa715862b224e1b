// The steps of scheduling, in order.
#include "schedule/plan_graph.h"

#include <utility>

#include "schedule/plan_passes.h"

namespace tenon {

ExecutionPlan plan_graph(const Graph& graph, std::vector<NodeKernel> kernels, const PlanOptions& options) {
  std::vector<FusedKernel> alone;
  for (size_t i = 0; i < kernels.size(); ++i) {
    NodeKernel& k = kernels[i];
    k.kernel.fused = {graph.nodes[i].op};
    k.kernel.vectors = options.vectors;
    alone.push_back({std::move(k.kernel), std::move(k.values), {graph.nodes[i].origin}, graph.nodes[i].region, {}});
  }
  ExecutionPlan plan = form_kernels(graph, std::move(alone), options.fuse);
  if (options.views) {
    place_views(plan);
    place_states(plan);
  }
  use_winograd(plan, options.winograd);
  prepack_weights(plan, options.quads);
  share_kernels(plan);
  return plan;
}

}  // namespace tenon
