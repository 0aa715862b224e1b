// Follows operators and regions forwards, around loops until nothing changes.

#include "differentiate/backward_parts.h"
#include "support/ranges.h"

namespace tenon {
namespace {

class Activity {
 public:
  Activity(const Graph& graph, const std::vector<ValueId>& from) : graph_(graph), active_(graph.values.size(), false) {
    for (const ValueId v : from) mark(v);
  }

  std::vector<bool> run(size_t end) {
    for (changed_ = true; changed_;) {
      changed_ = false;
      for (const Region& r : graph_.regions) region(r);
      for (size_t i = 0; i < end; ++i) node(graph_.nodes[i]);
    }
    return std::move(active_);
  }

 private:
  static bool has_gradient(DType d) { return is_float(d) || is_complex(d); }
  bool is_active(ValueId v) const { return v != kNoValue && active_[static_cast<size_t>(v)]; }

  void mark(ValueId v) {
    if (v == kNoValue || is_active(v) || !has_gradient(graph_.value(v).dtype)) return;
    active_[static_cast<size_t>(v)] = true;
    changed_ = true;
  }

  void node(const Node& n) {
    if (any_of(n.inputs, [&](ValueId v) { return is_active(v); }))
      for (const ValueId v : n.outputs) mark(v);
  }

  void region(const Region& r) {
    for (const Carried& c : r.carried) {
      if (is_active(c.initial) || is_active(c.next)) mark(c.inside), mark(c.result);
    }
    for (const Slice& s : r.reads)
      if (is_active(s.whole)) mark(s.part);
    for (const Slice& s : r.writes)
      if (is_active(s.part)) mark(s.whole);
    for (const BranchResult& b : r.results)
      if (is_active(b.inside)) mark(b.result);
  }

  const Graph& graph_;
  std::vector<bool> active_;
  bool changed_ = false;
};

}  // namespace

std::vector<bool> active_values(const Graph& graph, const std::vector<ValueId>& from, size_t end) {
  return Activity(graph, from).run(end);
}

}  // namespace tenon
