// Which buffer each value is in, and what loops copy.
#include <fmt/format.h>

#include <map>
#include <set>

#include "ir/graph/size_bounds.h"
#include "schedule/plan_passes.h"
#include "support/check.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {

int table_buffer(ExecutionPlan& plan, const Tensor& t, const std::string& name) {
  const auto known = find_if(plan.buffers, [&](const PlanBuffer& b) { return b.data && *b.data == *t.data; });
  if (known != plan.buffers.end()) return static_cast<int>(known - plan.buffers.begin());
  PlanBuffer b;
  b.name = b.original = name;
  b.dtype = t.dtype;
  for (const int64_t n : t.data->dims) b.dims.emplace_back(n);
  b.kind = BufferKind::Constant;
  b.bytes = static_cast<int64_t>(t.data->bytes.size());
  b.data = t.data;
  return plan.add(std::move(b));
}

namespace {

class BufferPlanner {
 public:
  BufferPlanner(const Graph& graph, const std::vector<Region>& regions, std::vector<FusedKernel> kernels)
      : graph_(graph),
        regions_(regions),
        kernels_(std::move(kernels)),
        outputs_(graph.outputs.begin(), graph.outputs.end()),
        sizes_(all_sizes(graph)) {
    for (const StatePair& s : graph.state) {
      held_.insert(s.input);
      outputs_.erase(s.next);
      next_.insert(s.next);
    }
    for (size_t i = 0; i < kernels_.size(); ++i)
      for (size_t t = 0; t < kernels_[i].values.size(); ++t)
        if (kernels_[i].values[t] != kNoValue && kernels_[i].kernel.tensors[t].role == Role::Output) {
          maker_[kernels_[i].values[t]] = i;
          home_[kernels_[i].values[t]] = kernels_[i].region;
        }
    for (size_t r = 0; r < regions_.size(); ++r) share_results(static_cast<RegionId>(r));
    for (size_t r = 0; r < regions_.size(); ++r) place_slices(static_cast<RegionId>(r));
  }

  ExecutionPlan plan() {
    plan_.name = graph_.name;
    plan_.doc = graph_.doc;
    plan_.sizes = graph_.sizes;
    plan_.equal = graph_.equal;
    for (FusedKernel& k : kernels_) plan_.steps.push_back(step(k));
    for (size_t r = 0; r < regions_.size(); ++r) plan_.regions.push_back(region(static_cast<RegionId>(r)));
    for (const ValueId v : graph_.inputs)
      if (!held_.count(v)) plan_.inputs.push_back(buffer(v));
    for (const ValueId v : graph_.outputs)
      if (!next_.count(v)) plan_.outputs.push_back(buffer(v));
    for (const StatePair& s : graph_.state) plan_.state.push_back(state(s));
    return std::move(plan_);
  }

 private:
  struct Place {
    ValueId whole;
    RegionId loop;
    bool reversed;
  };

  void share_results(RegionId id) {
    const Region& r = regions_[static_cast<size_t>(id)];
    for (const ValueId v : results_of(r)) home_[v] = r.parent;
    for (const BranchResult& b : r.results) shared_[b.inside] = b.result;
    for (const Carried& c : r.carried) {
      shared_[c.inside] = c.result;
      if (!shared_.count(c.next) && replaces(c, id)) shared_[c.next] = c.result;
    }
  }

  /// Whether the kernel that makes the next value may write it over the old one: it and all that follow do not read the
  /// old one.
  bool replaces(const Carried& c, RegionId id) const {
    const auto m = maker_.find(c.next);
    if (m == maker_.end() || kernels_[m->second].region != id) return false;
    for (size_t i = m->second; i < kernels_.size(); ++i)
      if (contains(kernels_[i].values, c.inside)) return false;
    return none_of(regions_, [&](const Region& r) {
      const std::vector<ValueId> read = read_by(r), handed = handed_on(r);
      return contains(read, c.inside) || contains(handed, c.inside);
    });
  }

  void place_slices(RegionId id) {
    const Region& r = regions_[static_cast<size_t>(id)];
    for (const Slice& s : r.reads) places_[s.part] = {s.whole, id, s.reversed};
    for (const Slice& s : r.writes) {
      const auto m = maker_.find(s.part);
      if (m == maker_.end() || kernels_[m->second].region != id || shared_.count(s.part) || places_.count(s.part))
        copied_.insert(s.whole);
      else places_[s.part] = {s.whole, id, s.reversed};
    }
  }

  ValueId shared(ValueId v) const {
    for (auto it = shared_.find(v); it != shared_.end(); it = shared_.find(v)) v = it->second;
    return v;
  }

  PlanBuffer described(ValueId v) const {
    const Value& value = graph_.value(v);
    PlanBuffer b;
    b.name = value.name;
    b.original = value.original;
    b.dtype = value.dtype;
    b.dims = value.dims;
    const auto elements = maximum_value(product(b.dims), sizes_);
    TENON_CHECK(elements, "{} passed the limits of a graph and has no maximum size", b.name);
    b.bytes = *elements * bytes_of(b.dtype);
    return b;
  }

  int slice(ValueId part, const Place& place) {
    PlanBuffer b = described(part);
    b.kind = BufferKind::Slice;
    b.whole = buffer(place.whole);
    b.region = place.loop;
    b.reversed = place.reversed;
    return plan_.add(std::move(b));
  }

  int buffer(ValueId value) {
    if (value == kNoValue) return -1;
    const ValueId v = shared(value);
    const auto known = buffers_.find(v);
    if (known != buffers_.end()) return known->second;
    const auto place = places_.find(v);
    if (place != places_.end()) return buffers_[v] = slice(v, place->second);
    PlanBuffer b = described(v);
    b.data = graph_.value(v).constant;
    const bool input = contains(graph_.inputs, v);
    b.kind = b.data              ? BufferKind::Constant
             : held_.count(v)    ? BufferKind::State
             : input             ? BufferKind::Input
             : outputs_.count(v) ? BufferKind::Output
                                 : BufferKind::Arena;
    const auto home = home_.find(v);
    if (home != home_.end()) b.region = home->second;
    return buffers_[v] = plan_.add(std::move(b));
  }

  int table(const Tensor& t) {
    std::string name = t.name;
    const auto taken = [&](const auto& other) { return other.name == name; };
    for (int n = 1; any_of(plan_.buffers, taken) || any_of(graph_.values, taken); ++n)
      name = fmt::format("{}_{}", t.name, n);
    return table_buffer(plan_, t, name);
  }

  PlanStep step(FusedKernel& k) {
    PlanStep s;
    for (size_t t = 0; t < k.values.size(); ++t) {
      const Tensor& tensor = k.kernel.tensors[t];
      s.buffers.push_back(tensor.data ? table(tensor) : buffer(k.values[t]));
      if (s.buffers.back() >= 0 && plan_.buffer(s.buffers.back()).kind == BufferKind::Constant)
        k.kernel.tensors[t].role = Role::Constant;
    }
    std::string name = joined(k.kernel.fused, "_");
    if (name.size() > 48) name = fmt::format("{}_and_{}_more", k.kernel.fused[0], k.kernel.fused.size() - 1);
    const int n = ++named_[name];
    k.kernel.name = n == 1 ? name : fmt::format("{}_{}", name, n);
    std::vector<std::string> origins;  // of several operators that one node became, the node is named once
    for (const std::string& o : k.origins)
      if (!contains(origins, o)) origins.push_back(o);
    s.origin = joined(origins, ", ");
    s.region = k.region;
    s.notes = k.notes;
    s.kernel = k.kernel;
    return s;
  }

  PlanState state(const StatePair& pair) {
    constexpr int64_t align = 64;
    PlanState s;
    s.held = buffer(pair.input);
    s.next = buffer(pair.next);
    s.gradient = buffer(pair.gradient);
    s.parameter = pair.parameter;
    PlanBuffer& held = plan_.buffer(s.held);
    held.offset = plan_.state_bytes;
    plan_.state_bytes += (held.bytes + align - 1) / align * align;
    if (!pair.initial || count_of(pair.initial->bytes, 0) == held.bytes) return s;
    PlanBuffer b = described(pair.input);
    b.kind = BufferKind::Constant;
    b.data = pair.initial;
    s.initial = plan_.add(std::move(b));
    return s;
  }

  PlanRegion region(RegionId id) {
    const Region& r = regions_[static_cast<size_t>(id)];
    PlanRegion p;
    static_cast<RegionHead&>(p) = r;
    for (int* b : {&p.count, &p.starts, &p.continues, &p.condition}) *b = buffer(*b);
    p.complete = r.ends_early() && !r.writes.empty() && !r.partial;
    p.partial = r.partial && r.count != kNoValue;
    for (const Carried& c : r.carried) {
      const int to = buffer(c.inside), next = buffer(c.next);
      p.before.push_back({to, buffer(c.initial)});
      if (next != to) p.after.push_back({to, next});
    }
    // Values computed from the old value of a carried one are written before the new value arrives.
    for (const Slice& s : r.writes)
      if (copied_.count(s.whole))
        p.after.insert(p.after.begin(), {slice(s.part, {s.whole, id, s.reversed}), buffer(s.part)});
    return p;
  }

  const Graph& graph_;
  const std::vector<Region>& regions_;
  std::vector<FusedKernel> kernels_;
  std::set<ValueId> outputs_, copied_;
  std::set<ValueId> held_, next_;  ///< inputs that are states, and what replaces them
  std::map<ValueId, size_t> maker_;
  std::map<ValueId, RegionId> home_;
  std::map<ValueId, ValueId> shared_;
  std::map<ValueId, Place> places_;
  std::map<ValueId, int> buffers_;
  std::map<std::string, int> named_;
  const std::vector<GraphSize> sizes_;
  ExecutionPlan plan_;
};

}  // namespace

ExecutionPlan assign_buffers(const Graph& graph, const std::vector<Region>& regions, std::vector<FusedKernel> kernels) {
  return BufferPlanner(graph, regions, std::move(kernels)).plan();
}

}  // namespace tenon
