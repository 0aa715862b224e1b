// Candidates are compared by their live values; the best ones by their plans.
#include "schedule/recompute.h"

#include <set>
#include <utility>

#include "schedule/pack_blocks.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The maximum additional work of a step under `automatic`.
constexpr double kMostWork = 0.1;
/// A value is kept if it is smaller by this factor than one that it leads to: statistics of rows.
constexpr int64_t kSmall = 8;
/// Cuts of the forward pass that are tried at most.
constexpr size_t kMostSegments = 32;
/// Candidates whose plans are compared.
constexpr size_t kPlanned = 3;

struct Candidate {
  std::vector<bool> dropped;
  int64_t peak = 0;
};

class Search {
 public:
  Search(const ForwardPass& forward, Recompute mode) : forward_(forward), mode_(mode) {
    for (size_t v = 0; v < forward.saved.size(); ++v)
      if (forward.saved[v] && forward.maker[v] >= 0) saved_.push_back(v);
  }

  /// The best first. A later one lowers the peak or is left out.
  std::vector<Candidate> run() {
    cheapest_first();
    if (mode_ == Recompute::always)
      for (size_t n = 2; n <= std::min(kMostSegments, forward_.end); ++n) cut_in(n);
    const int64_t known = peak(kept());
    std::erase_if(found_, [&](const Candidate& c) { return c.peak >= known; });
    stable_sort(found_, [](const Candidate& a, const Candidate& b) { return a.peak < b.peak; });
    return std::move(found_);
  }

 private:
  /// Values read only by the forward pass are freed anyway.
  std::vector<bool> kept() const {
    std::vector<bool> dropped = forward_.saved;
    dropped.flip();
    return dropped;
  }
  int64_t peak(const std::vector<bool>& dropped) const {
    return peak_of(forward_, dropped, order_of(forward_, dropped));
  }
  void add(const std::vector<bool>& dropped) { found_.push_back({dropped, peak(dropped)}); }

  struct Choice {
    std::vector<bool> dropped;
    std::vector<size_t> nodes;
    double price = 0;  // work for a byte
  };

  /// `dropped` without `v`, keeping small values from which it can be recomputed.
  Choice without(size_t v, std::vector<bool> dropped, std::vector<bool> counted) const {
    dropped[v] = true;
    for (size_t u = 0; u < dropped.size(); ++u)
      if (dropped[u] && !forward_.saved[u] && forward_.bytes[u] * kSmall <= forward_.bytes[v]) dropped[u] = false;
    Choice c{std::move(dropped), {}, 0};
    forward_.add_makers(static_cast<ValueId>(v), c.dropped, counted, c.nodes);
    c.price = forward_.work_of(c.nodes) / static_cast<double>(std::max<int64_t>(1, forward_.bytes[v]));
    return c;
  }

  /// One value after the other, that of the least work for its bytes first. A cost is recomputed when its value is
  /// considered, because earlier choices change it.
  void cheapest_first() {
    std::vector<bool> dropped = kept(), counted(forward_.end, false);
    std::set<std::pair<double, size_t>> left;
    for (const size_t v : saved_) left.emplace(without(v, dropped, counted).price, v);
    double work = 0;
    while (!left.empty()) {
      const size_t v = left.extract(left.begin()).value().second;
      Choice c = without(v, dropped, counted);
      if (!left.empty() && left.begin()->first < c.price) {
        left.emplace(c.price, v);
        continue;
      }
      work += forward_.work_of(c.nodes);
      if (mode_ == Recompute::automatic && work > kMostWork * forward_.whole) return;
      for (const size_t n : c.nodes) counted[n] = true;
      dropped = std::move(c.dropped);
      add(dropped);
    }
  }

  /// The forward pass in segments of equal bytes: kept is what goes from one into another, and what the last one makes.
  void cut_in(size_t segments) {
    int64_t all = 0, sum = 0;
    for (const size_t v : saved_) all += forward_.bytes[v];
    std::vector<size_t> of_node(forward_.end, 0);
    for (size_t i = 0; i < forward_.end; ++i) {
      of_node[i] = std::min<size_t>(
          segments - 1, all == 0 ? 0 : static_cast<size_t>(sum / (all / static_cast<int64_t>(segments) + 1)));
      for (const ValueId v : forward_.graph.nodes[i].outputs)
        if (forward_.saved[static_cast<size_t>(v)]) sum += forward_.bytes[static_cast<size_t>(v)];
    }
    std::vector<bool> dropped(forward_.saved.size(), false);
    for (size_t v = 0; v < dropped.size(); ++v) {
      if (forward_.maker[v] < 0) continue;
      const size_t segment = of_node[static_cast<size_t>(forward_.maker[v])];
      dropped[v] = segment + 1 < segments && of_node[forward_.last_read[v]] == segment;
    }
    add(dropped);
  }

  const ForwardPass& forward_;
  Recompute mode_;
  std::vector<size_t> saved_;
  std::vector<Candidate> found_;
};

int64_t planned_bytes(const Graph& graph, const std::vector<NodeKernel>& kernels, PlanOptions options) {
  options.winograd.clear();
  const std::vector<int64_t> live = live_bytes(plan_graph(graph, kernels, options));
  return live.empty() ? 0 : *std::max_element(live.begin(), live.end());
}

}  // namespace

size_t first_gradient(const Graph& graph) {
  const auto at = find_if(graph.nodes, [](const Node& n) { return n.gradient != nullptr; });
  return static_cast<size_t>(at - graph.nodes.begin());
}

Recomputed recompute(Graph graph, std::vector<NodeKernel> kernels, Recompute mode, const PlanOptions& options) {
  Recomputed best{std::move(graph), std::move(kernels)};
  const size_t end = first_gradient(best.graph);
  if (mode == Recompute::never || end == best.graph.nodes.size()) return best;
  const Graph first = best.graph;
  const std::vector<NodeKernel> alone = best.kernels;
  const ForwardPass forward(first, alone, end);
  std::vector<Candidate> candidates = Search(forward, mode).run();
  if (candidates.size() > kPlanned) candidates.resize(kPlanned);
  int64_t least = candidates.empty() ? 0 : planned_bytes(first, alone, options);
  for (const Candidate& c : candidates) {
    const std::vector<NodeTime> order = order_of(forward, c.dropped);
    Recomputed made{first, alone};
    reorder(made.graph, made.kernels, c.dropped, order);
    const int64_t bytes = planned_bytes(made.graph, made.kernels, options);
    if (bytes >= least) continue;
    least = bytes;
    double again = 0;
    for (const NodeTime& t : order)
      if (t.again) ++made.again.nodes, again += forward.work[t.node];
    made.again.work = forward.whole > 0 ? again / forward.whole : 0;
    for (size_t v = 0; v < c.dropped.size(); ++v)
      if (c.dropped[v] && forward.saved[v] && forward.maker[v] >= 0) made.again.bytes += forward.bytes[v];
    best = std::move(made);
  }
  return best;
}

}  // namespace tenon
