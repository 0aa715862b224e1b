// Counts the iterations of a loop whose end depends on data: its gradient runs the same number, starting at the last.
#include <algorithm>

#include "differentiate/backward_parts.h"

namespace tenon {
namespace {

/// Iterations whose values are saved where nothing bounds their number.
constexpr int64_t kAssumedTrip = 1024;

}  // namespace

bool is_cut_short(const Region& loop) { return loop.ends_early() && (loop.writes.empty() || loop.partial); }

IterationCount count_iterations(Graph& graph, RegionId loop, const FreshNumber& fresh) {
  const RegionId outside = graph.region(loop).parent;
  const auto number = [&](ValueId v, AttrValue value, RegionId home) {
    const Attributes attrs{{"shape", std::vector<int64_t>{}}, {"value", std::move(value)}, {"dtype", DType::I64}};
    return Node{"", "full", {}, attrs, {v}, graph.region(loop).origin, home};
  };
  Carried c;
  c.initial = fresh("none", outside);
  c.inside = fresh("ran_before", loop);
  c.next = fresh("ran", loop);
  c.result = fresh("iterations", outside);
  Region& r = graph.region(loop);
  IterationCount out{c.result, {number(c.initial, int64_t{0}, outside)}, {}};
  out.inside = number(c.next, size_name(r.counter) + SizeExpr(1), loop);
  r.carried.push_back(c);
  r.partial = true;
  if (!r.trip.is_constant() || r.trip.value < kUnboundedTrip) return out;
  r.trip = kAssumedTrip;
  if (r.count != kNoValue) return out;
  // A call that needs more of them is refused.
  r.count = fresh("unbounded", outside);
  out.in_front.push_back(number(r.count, kUnboundedTrip, outside));
  return out;
}

void place_count(Graph& graph, RegionId loop, const IterationCount& count) {
  const auto is_inside = [&](const Node& n) { return lies_in(graph.regions, n.region, loop); };
  const auto last = std::find_if(graph.nodes.rbegin(), graph.nodes.rend(), is_inside);
  graph.nodes.insert(last.base(), count.inside);
  const auto first = std::find_if(graph.nodes.begin(), graph.nodes.end(), is_inside);
  graph.nodes.insert(first, count.in_front.begin(), count.in_front.end());
}

}  // namespace tenon
