// Regions of the graph that is being built: which nodes belong to a loop's body, and how regions end.
#include <fmt/format.h>

#include "frontend/graph/graph_builder.h"
#include "ir/graph/size_bounds.h"
#include "support/check.h"
#include "support/ranges.h"

namespace tenon {
namespace {

struct NamesIn {
  std::set<std::string>& names;
  void operator()(const SizeExpr& e) const {
    for (const std::string& n : names_in(e)) names.insert(n);
  }
  void operator()(const std::vector<SizeExpr>& list) const {
    for (const SizeExpr& e : list) (*this)(e);
  }
  template <class T>
  void operator()(const T&) const {}
};

}  // namespace

bool GraphBuilder::is_written_in(RegionId id, const SizeExpr& extent) const {
  const std::vector<std::string> names = names_in(extent);
  return any_of(names, [&](const std::string& n) {
    const auto it = written_.find(n);
    return it != written_.end() && it->second.region == id;
  });
}

SizeExpr GraphBuilder::bound_outside(RegionId id, const SizeExpr& extent) const {
  if (!is_written_in(id, extent)) return extent;
  if (extent.is_name()) return bound_outside(id, written_.at(extent.name).bound);
  if (extent.op != ScalarOp::Add) return bounds_of(extent, sizes()).hi;
  SizeExpr sum = 0;
  for (const SizeExpr& e : extent.args) sum = sum + bound_outside(id, e);
  return sum;
}

void GraphBuilder::check_known_outside(RegionId id, const TensorType& type) const {
  for (const SizeExpr& d : type.dims)
    if (is_written_in(id, d))
      throw GraphError(fmt::format("a result is {}, and {} is known inside of the {} only", to_text(type), to_text(d),
                                   region(id).kind == Region::Kind::loop ? "loop" : "branch"));
}

/// The outermost open region in which all operands of the node are known. No node is moved out of a branch, because it
/// may not be executed.
size_t GraphBuilder::place_of(const Node& node, const std::vector<TensorType>& types) const {
  std::set<std::string> names;
  for (const auto& [name, value] : node.attrs) std::visit(NamesIn{names}, value);
  for (const TensorType& t : types) NamesIn{names}(t.dims);
  for (size_t place = open_.size() - 1; place > 0; --place) {
    const RegionId id = open_[place].region;
    if (region(id).kind == Region::Kind::branch || names.count(region(id).counter)) return place;
    if (any_of(names, [&](const std::string& n) { return is_written_in(id, size_name(n)); })) return place;
    if (any_of(node.inputs, [&](ValueId v) { return v != kNoValue && at(v).region == id; })) return place;
  }
  return 0;
}

std::vector<ValueId> GraphBuilder::append(Node node, const std::vector<TensorType>& types, size_t place) {
  node.region = open_[place].region;
  for (const TensorType& t : types) {
    Entry e;
    e.value.dtype = t.dtype;
    e.value.dims = t.dims;
    e.region = node.region;
    node.outputs.push_back(add(std::move(e)));
  }
  open_[place].nodes.push_back(node);
  return node.outputs;
}

ValueId GraphBuilder::value_like(ValueId other, RegionId region) {
  Entry e;
  e.value.dtype = value(other).dtype;
  e.value.dims = value(other).dims;
  e.region = region;
  return add(std::move(e));
}

RegionId GraphBuilder::open(Region region) {
  region.parent = open_.back().region;
  region.origin = origin_;
  graph_.regions.push_back(std::move(region));
  open_.push_back({static_cast<RegionId>(graph_.regions.size()) - 1, {}, graph_.sizes, graph_.equal});
  return open_.back().region;
}

/// The innermost region is executed for all inputs: it is only in loops that have a first
/// iteration.
bool GraphBuilder::runs_at_every_call() const {
  return std::all_of(open_.begin() + 1, open_.end(), [&](const Open& o) {
    const Region& r = region(o.region);
    return r.kind == Region::Kind::loop && r.count == kNoValue && r.starts == kNoValue &&
           bounds_of(r.trip, all_sizes(graph_)).lo >= 1;
  });
}

void GraphBuilder::close(RegionId id) {
  TENON_CHECK(open_.size() > 1 && open_.back().region == id, "regions end in the order in which they begin");
  std::vector<Node> nodes = std::move(open_.back().nodes);
  open_.pop_back();
  open_.back().nodes.insert(open_.back().nodes.end(), nodes.begin(), nodes.end());
}

RegionId GraphBuilder::begin_loop(const SizeExpr& trip) {
  Region r;
  for (const GraphSize& s : graph_.sizes) counters_.take(s.name);
  r.counter = counters_.fresh("step");
  r.trip = trip;
  return open(std::move(r));
}

ValueId GraphBuilder::carry(RegionId loop, ValueId initial) {
  initial = at_run(initial);
  Carried c;
  c.initial = initial;
  c.inside = value_like(initial, loop);
  region(loop).carried.push_back(c);
  return c.inside;
}

ValueId GraphBuilder::read_slice(RegionId loop, ValueId whole, bool reversed) {
  whole = at_run(whole);
  const std::vector<SizeExpr>& dims = value(whole).dims;
  if (dims.empty() || dims[0] != region(loop).trip)
    throw GraphError(
        fmt::format("{} has no axis of {} elements to go along", to_text(type(whole)), to_text(region(loop).trip)));
  const ValueId part = value_like(whole, loop);
  at(part).value.dims.erase(at(part).value.dims.begin());
  region(loop).reads.push_back({whole, part, reversed});
  return part;
}

void GraphBuilder::set_bounds(RegionId loop, ValueId count, ValueId starts) {
  region(loop).count = count == kNoValue ? count : at_run(count);
  region(loop).starts = starts == kNoValue ? starts : at_run(starts);
}

/// The value, or a copy of it if the region does not compute it or already returns it.
ValueId GraphBuilder::made_in(RegionId id, ValueId value, std::set<ValueId>& taken) {
  value = at_run(value);
  const std::vector<ValueId> seen = made_inside(region(id));
  const bool own = at(value).region == id && !contains(seen, value);
  if (own && taken.insert(value).second) return value;
  return append(Node{"", "identity", {value}, {}, {}, origin_}, {type(value)}, open_.size() - 1)[0];
}

std::vector<ValueId> GraphBuilder::end_loop(RegionId loop, const LoopEnd& end) {
  Region r = region(loop);
  TENON_CHECK(end.next.size() == r.carried.size());
  std::set<ValueId> taken;
  for (size_t i = 0; i < end.next.size(); ++i) {
    Carried& c = r.carried[i];
    if (type(end.next[i]) != type(c.initial))
      throw GraphError(fmt::format("a value that the loop carries is {} before an iteration and {} after it",
                                   to_text(type(c.initial)), to_text(type(end.next[i]))));
    c.next = end.next[i] == c.inside ? c.inside : made_in(loop, end.next[i], taken);
    // A value that no iteration changes has its initial value after the loop.
    c.result = value_like(c.initial, r.parent);
  }
  for (const auto& [part, reversed] : end.parts) {
    std::set<ValueId> none;
    check_known_outside(loop, type(part));
    Slice s{kNoValue, made_in(loop, part, none), reversed};
    s.whole = value_like(s.part, r.parent);
    at(s.whole).value.dims.insert(at(s.whole).value.dims.begin(), r.trip);
    r.writes.push_back(s);
  }
  std::set<ValueId> none;
  if (end.continues != kNoValue) r.continues = made_in(loop, end.continues, none);
  r.partial = end.partial;
  close(loop);
  std::vector<ValueId> results =
      mapped(r.carried, [](const Carried& c) { return c.next == c.inside ? c.initial : c.result; });
  for (const Slice& s : r.writes) results.push_back(s.whole);
  region(loop) = std::move(r);
  return results;
}

RegionId GraphBuilder::begin_branch(ValueId condition, bool holds) {
  Region r;
  r.kind = Region::Kind::branch;
  r.condition = condition;
  r.holds = holds;
  return open(std::move(r));
}

std::vector<ValueId> GraphBuilder::end_branch(RegionId branch, const std::vector<ValueId>& made,
                                              const std::vector<ValueId>& results) {
  std::vector<ValueId> outside = results;
  std::set<ValueId> taken;
  for (size_t i = 0; i < made.size(); ++i) {
    check_known_outside(branch, type(made[i]));
    const ValueId inside = made_in(branch, made[i], taken);
    if (results.empty()) outside.push_back(value_like(inside, region(branch).parent));
    if (type(inside) != type(outside[i]))
      throw GraphError(fmt::format("result {} is {} if the condition holds and {} otherwise", i,
                                   to_text(type(outside[i])), to_text(type(inside))));
    region(branch).results.push_back({inside, outside[i]});
  }
  close(branch);
  return outside;
}

void GraphBuilder::set_aside(RegionId region) {
  TENON_CHECK(open_.size() > 1 && open_.back().region == region, "the innermost region is set aside");
  aside_.push_back(std::move(open_.back()));
  open_.pop_back();
}

void GraphBuilder::take_up(RegionId id) {
  const auto it = find_if(aside_, [&](const Open& o) { return o.region == id; });
  TENON_CHECK(it != aside_.end() && region(id).parent == open_.back().region,
              "a region is taken up where it was set aside");
  open_.push_back(std::move(*it));
  aside_.erase(it);
}

void GraphBuilder::abandon(RegionId region) {
  const auto give_up = [&](std::vector<Open>& list) {
    while (!list.empty() && list.back().region >= region) {
      std::copy(list.back().sizes.begin(), list.back().sizes.end(), graph_.sizes.begin());
      graph_.equal = std::move(list.back().equal);
      list.pop_back();
    }
  };
  give_up(open_);
  give_up(aside_);  // they were opened before those: no region is opened while another one is resumed
  std::erase_if(open_.back().nodes,
                [&](const Node& n) { return n.region >= region; });  // of a branch that was finished
  std::erase_if(graph_.sizes,
                [&](const GraphSize& s) { return written_.count(s.name) && written_.at(s.name).region >= region; });
  std::erase_if(written_, [&](const auto& w) { return w.second.region >= region; });
  graph_.regions.resize(static_cast<size_t>(region));
}

}  // namespace tenon
