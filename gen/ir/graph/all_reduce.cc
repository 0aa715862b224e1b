// Inserts an all-reduce node after each value that processes exchange.
#include <set>

#include "ir/graph/graph_passes.h"
#include "support/c_names.h"
#include "support/ranges.h"

namespace tenon {
namespace {

class Exchange {
 public:
  explicit Exchange(Graph graph) : graph_(std::move(graph)) { take_names(graph_, values_, nodes_); }

  Graph run() {
    // Only the next step reads the states that the network replaces, and no node reads the loss.
    reduce_outputs(graph_.outputs.front());
    for (const StatePair& s : std::vector<StatePair>(graph_.state)) {
      if (s.gradient != kNoValue) reduce(s.gradient);
      else if (s.parameter && !value(s.input).original.ends_with(kAverageState)) reduce_outputs(s.next);
    }
    return std::move(graph_);
  }

 private:
  Value& value(ValueId v) { return graph_.value(v); }

  /// The node after which a value is known; empty for inputs and constants, which are the same in all processes.
  std::optional<size_t> maker(ValueId v) const {
    std::optional<size_t> at;
    const auto makes = [&](const Region& r) {
      const std::vector<ValueId> results = results_of(r);
      return contains(results, v);
    };
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      bool made = contains(node.outputs, v);
      for (RegionId r = node.region; r != kTopLevel && !made; r = graph_.region(r).parent)
        made = makes(graph_.region(r));
      if (made) at = n;
    }
    return at;
  }

  /// The mean of `v`, which takes its name.
  std::optional<ValueId> mean_of(ValueId v) {
    const auto made_by = maker(v);
    if (!made_by || !done_.insert(v).second) return std::nullopt;
    const Value was = value(v);
    const bool narrow = was.dtype != DType::F32 && was.dtype != DType::F64;
    place_ = *made_by + 1;
    ValueId now = v;
    if (narrow) now = add("cast", {{"dtype", DType::F32}}, now, DType::F32);
    now = add(kAllReduceOp, {}, now, narrow ? DType::F32 : was.dtype);
    if (narrow) now = add("cast", {{"dtype", was.dtype}}, now, was.dtype);
    value(now).original = was.original;
    value(v).original.clear();
    std::swap(value(now).name, value(v).name);
    done_.insert(now);
    return now;
  }

  ValueId add(const std::string& op, Attributes attrs, ValueId of, DType dtype) {
    Value made;
    made.name = values_.fresh(value(of).name + "_here");
    made.dtype = dtype;
    made.dims = value(of).dims;
    graph_.values.push_back(std::move(made));
    const auto out = static_cast<ValueId>(graph_.values.size() - 1);
    Node node{nodes_.fresh(op), op, {of}, std::move(attrs), {out}, "mean over the processes"};
    graph_.nodes.insert(graph_.nodes.begin() + static_cast<std::ptrdiff_t>(place_++), std::move(node));
    return out;
  }

  static void replace(std::vector<ValueId>& values, ValueId from, ValueId to) {
    std::replace(values.begin(), values.end(), from, to);
  }

  void replace_outputs(ValueId from, ValueId to) {
    replace(graph_.outputs, from, to);
    for (StatePair& s : graph_.state) {
      if (s.next == from) s.next = to;
      if (s.gradient == from) s.gradient = to;
    }
  }

  void reduce_outputs(ValueId v) {
    if (const auto mean = mean_of(v)) replace_outputs(v, *mean);
  }

  /// All later nodes, those of the optimizer, read the mean.
  void reduce(ValueId v) {
    const auto mean = mean_of(v);
    if (!mean) return;
    for (size_t n = place_; n < graph_.nodes.size(); ++n) replace(graph_.nodes[n].inputs, v, *mean);
    replace_outputs(v, *mean);
  }

  Graph graph_;
  CNames values_, nodes_;
  std::set<ValueId> done_;
  size_t place_ = 0;
};

}  // namespace

Graph with_all_reduce(Graph step) { return Exchange(std::move(step)).run(); }

}  // namespace tenon
