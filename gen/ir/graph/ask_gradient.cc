// Finds values by name, and adds the sum of their elements and the gradient request.
#include <fmt/format.h>

#include <numeric>

#include "ir/graph/graph_passes.h"
#include "support/c_names.h"
#include "support/diagnostics.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Values that are known outside of loops and branches.
std::vector<ValueId> values_outside_loops(const Graph& graph) {
  std::vector<bool> seen(graph.values.size());
  for (const ValueId v : graph.inputs) seen[static_cast<size_t>(v)] = true;
  for (size_t v = 0; v < graph.values.size(); ++v) seen[v] = seen[v] || graph.values[v].constant != nullptr;
  for (const Node& n : graph.nodes)
    for (const ValueId v : n.outputs)
      if (v != kNoValue && n.region == kTopLevel) seen[static_cast<size_t>(v)] = true;
  for (const Region& r : graph.regions)
    for (const ValueId v : results_of(r))
      if (r.parent == kTopLevel) seen[static_cast<size_t>(v)] = true;
  std::vector<ValueId> out;
  for (size_t v = 0; v < seen.size(); ++v)
    if (seen[v]) out.push_back(static_cast<ValueId>(v));
  return out;
}

class Asking {
 public:
  explicit Asking(Graph& graph) : graph_(graph), visible_(values_outside_loops(graph)) {
    take_names(graph, values_, nodes_);
  }

  std::string run(const AskedGradients& asked) {
    std::string fault;
    const ValueId of = named(asked.of, fault);
    const std::vector<ValueId> wrt = mapped(asked.wrt, [&](const std::string& name) { return named(name, fault); });
    if (!fault.empty()) return fault;
    Node ask{nodes_.fresh(kGradientOp), kGradientOp, {sum_of(of)}, {}, {}, "--grad-of " + asked.of};
    for (size_t k = 0; k < wrt.size(); ++k) {
      const std::string name = fmt::format("grad({})", asked.wrt[k]);
      ask.inputs.push_back(wrt[k]);
      ask.outputs.push_back(add(name, value(wrt[k]).dtype, value(wrt[k]).dims));
      value(ask.outputs.back()).original = name;
    }
    append(graph_.outputs, ask.outputs);
    graph_.nodes.push_back(std::move(ask));
    return {};
  }

 private:
  Value& value(ValueId v) { return graph_.value(v); }

  /// The floating-point value of this name; the first error is kept.
  ValueId named(const std::string& name, std::string& fault) {
    std::vector<std::string> names;
    for (const ValueId v : visible_) {
      const Value& one = value(v);
      if (one.original != name && one.name != name) {
        names.push_back(one.original.empty() ? one.name : one.original);
        continue;
      }
      if (!is_float(one.dtype) && fault.empty())
        fault = fmt::format("'{}' is {}, and gradients are of floating values", name, type_text(one));
      return v;
    }
    if (fault.empty()) fault = fmt::format("the graph has no value '{}'{}", name, or_did_you_mean(name, names));
    return kNoValue;
  }

  ValueId add(const std::string& name, DType dtype, std::vector<SizeExpr> dims) {
    Value v;
    v.name = values_.fresh(name);
    v.dtype = dtype;
    v.dims = std::move(dims);
    graph_.values.push_back(std::move(v));
    return static_cast<ValueId>(graph_.values.size() - 1);
  }

  ValueId sum_of(ValueId of) {
    if (value(of).dims.empty()) return of;
    std::vector<int64_t> axes(value(of).dims.size());
    std::iota(axes.begin(), axes.end(), 0);
    const ValueId sum = add("sum_of_" + value(of).name, value(of).dtype, {});
    graph_.nodes.push_back(
        {nodes_.fresh("sum"), "sum", {of}, {{"axes", axes}}, {sum}, "--grad-of " + value(of).original});
    return sum;
  }

  Graph& graph_;
  std::vector<ValueId> visible_;
  CNames values_, nodes_;
};

}  // namespace

std::string ask_gradient(Graph& graph, const AskedGradients& asked) {
  Graph with = graph;
  std::string fault = Asking(with).run(asked);
  if (fault.empty()) graph = std::move(with);
  return fault;
}

}  // namespace tenon
