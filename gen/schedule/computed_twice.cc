// Which nodes have to come twice for a choice of values that are not kept, and the graph in which they do.
#include <map>
#include <set>

#include "algebra/simplify.h"
#include "ir/graph/graph_passes.h"
#include "ir/graph/size_bounds.h"
#include "ir/kernel/kernel_cost.h"
#include "schedule/recompute.h"
#include "support/c_names.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// What a byte of operands costs in scalar operations: kernels of few operations wait for memory.
constexpr double kWorkOfByte = 4;
/// Taken for sizes that have no bound to speak of.
constexpr int64_t kLargestSize = int64_t{1} << 20;

Expr at_maximum(const Expr& e, const std::map<std::string, Expr>& sizes) {
  if (!e) return e;
  if (const auto* s = std::get_if<SizeRef>(&e->node)) {
    return value_or(sizes, s->name, constant_int(1));
  }
  return map_children(e, [&](const Expr& c) { return at_maximum(c, sizes); });
}

double work_of_kernel(const Kernel& kernel, const std::map<std::string, Expr>& sizes) {
  const auto cost = cost_of(map_exprs(kernel, [&](const Expr& e) { return simplify(at_maximum(e, sizes)); }));
  return cost ? cost->flops + kWorkOfByte * cost->bytes : 0;
}

bool names_written(const Graph& graph, const Value& v) {
  for (const SizeExpr& d : v.dims)
    for (const std::string& name : names_in(d))
      if (any_of(graph.sizes, [&](const GraphSize& s) { return s.written && s.name == name; })) return true;
  return false;
}

}  // namespace

ForwardPass::ForwardPass(const Graph& g, const std::vector<NodeKernel>& kernels, size_t first)
    : graph(g),
      end(first),
      maker(g.values.size(), -1),
      last_read(g.values.size(), 0),
      saved(g.values.size(), false),
      bytes(g.values.size(), 0) {
  const std::vector<GraphSize> all = all_sizes(g);
  std::map<std::string, Expr> sizes;
  for (const GraphSize& s : all) sizes[s.name] = constant_int(std::clamp<int64_t>(s.hi, 1, kLargestSize));
  for (const NodeKernel& k : kernels) work.push_back(work_of_kernel(k.kernel, sizes)), whole += work.back();
  std::set<ValueId> kept(g.outputs.begin(), g.outputs.end());
  for (Region r : g.regions) for_each_value(r, [&](ValueId v) { kept.insert(v); });
  for (size_t i = 0; i < g.nodes.size(); ++i)
    for (const ValueId v : g.nodes[i].inputs) {
      if (v == kNoValue) continue;
      if (i < end) last_read[static_cast<size_t>(v)] = i;
      else if (g.nodes[i].region != kTopLevel) kept.insert(v);
      else saved[static_cast<size_t>(v)] = true;
    }
  for (size_t i = 0; i < g.values.size(); ++i)
    if (!g.values[i].constant)
      bytes[i] = maximum_value(product(g.values[i].dims), all).value_or(0) * bytes_of(g.values[i].dtype);
  for (size_t i = 0; i < end; ++i) {
    const Node& n = g.nodes[i];
    const bool once = n.region != kTopLevel ||
                      any_of(n.outputs, [&](ValueId v) { return names_written(g, g.values[static_cast<size_t>(v)]); });
    for (const ValueId v : n.outputs)
      if (!once && !kept.contains(v)) maker[static_cast<size_t>(v)] = static_cast<int>(i);
  }
}

void ForwardPass::add_makers(ValueId v, const std::vector<bool>& dropped, std::vector<bool>& counted,
                             std::vector<size_t>& made) const {
  if (v == kNoValue || maker[static_cast<size_t>(v)] < 0 || !dropped[static_cast<size_t>(v)]) return;
  const auto node = static_cast<size_t>(maker[static_cast<size_t>(v)]);
  if (counted[node]) return;
  counted[node] = true;
  for (const ValueId in : graph.nodes[node].inputs) add_makers(in, dropped, counted, made);
  made.push_back(node);
}

double ForwardPass::work_of(const std::vector<size_t>& nodes) const {
  double sum = 0;
  for (const size_t n : nodes) sum += work[n];
  return sum;
}

std::vector<NodeTime> order_of(const ForwardPass& forward, const std::vector<bool>& dropped) {
  std::vector<NodeTime> order;
  std::vector<bool> counted(forward.end, false);
  for (size_t i = 0; i < forward.graph.nodes.size(); ++i) {
    std::vector<size_t> again;
    if (i >= forward.end)
      for (const ValueId v : forward.graph.nodes[i].inputs) forward.add_makers(v, dropped, counted, again);
    for (const size_t n : again) order.push_back({n, true});
    order.push_back({i, false});
  }
  return order;
}

int64_t peak_of(const ForwardPass& forward, const std::vector<bool>& dropped, const std::vector<NodeTime>& order) {
  // The last place where each value is read, and the value of its second time.
  const size_t values = forward.graph.values.size();
  std::vector<size_t> made(2 * values, order.size()), read(2 * values, 0);
  for (size_t at = 0; at < order.size(); ++at) {
    const Node& n = forward.graph.nodes[order[at].node];
    const bool late = order[at].again || order[at].node >= forward.end;
    for (const ValueId v : n.inputs)
      if (v != kNoValue) {
        const auto i = static_cast<size_t>(v);
        read[late && dropped[i] && forward.maker[i] >= 0 ? i + values : i] = at;
      }
    for (const ValueId v : n.outputs) {
      const size_t i = static_cast<size_t>(v) + (order[at].again ? values : 0);
      made[i] = at, read[i] = std::max(read[i], at);
    }
  }
  std::vector<int64_t> change(order.size() + 1, 0);
  for (size_t i = 0; i < 2 * values; ++i)
    if (made[i] < order.size()) {
      change[made[i]] += forward.bytes[i % values];
      change[read[i] + 1] -= forward.bytes[i % values];
    }
  int64_t live = 0, most = 0;
  for (const int64_t c : change) most = std::max(most, live += c);
  return most;
}

void reorder(Graph& graph, std::vector<NodeKernel>& kernels, const std::vector<bool>& dropped,
             const std::vector<NodeTime>& order) {
  CNames names, node_names;
  take_names(graph, names, node_names);
  std::vector<ValueId> second(graph.values.size(), kNoValue);
  std::vector<Node> nodes;
  std::vector<NodeKernel> in_order;
  const auto follow = [&](std::vector<ValueId>& values) {
    for (ValueId& v : values)
      if (v != kNoValue && static_cast<size_t>(v) < second.size() && second[static_cast<size_t>(v)] != kNoValue)
        v = second[static_cast<size_t>(v)];
  };
  for (const NodeTime& t : order) {
    Node n = graph.nodes[t.node];
    NodeKernel k = kernels[t.node];
    follow(n.inputs);
    std::map<ValueId, ValueId> made;
    for (ValueId& v : n.outputs) {
      if (!t.again) break;
      Value copy = graph.value(v);
      copy.name = names.fresh(copy.name + "_again");
      made[v] = static_cast<ValueId>(graph.values.size());
      if (dropped[static_cast<size_t>(v)]) second[static_cast<size_t>(v)] = made[v];
      v = made[v];
      graph.values.push_back(std::move(copy));
    }
    if (t.again) n.name = node_names.fresh(n.name + "_again");
    for (ValueId& v : k.values) {
      const auto own = made.find(v);
      if (own != made.end()) v = own->second;
    }
    follow(k.values);
    nodes.push_back(std::move(n));
    in_order.push_back(std::move(k));
  }
  graph.nodes = std::move(nodes);
  kernels = std::move(in_order);
}

}  // namespace tenon
