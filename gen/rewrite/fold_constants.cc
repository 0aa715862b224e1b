// Computes what can be computed before run time.
#include <algorithm>

#include "rewrite/graph_passes.h"

namespace tenon {
namespace {

constexpr int64_t kAlwaysBytes = 16384;
constexpr int64_t kGrowth = 4;  // 8-bit weights as f32

bool of_sizes(const AttrValue& v) {
  return std::holds_alternative<SizeExpr>(v) || std::holds_alternative<std::vector<SizeExpr>>(v);
}

/// The size in bytes of a tensor of fixed shape; empty for any other.
std::optional<int64_t> bytes_of_value(const Value& v) {
  std::vector<int64_t> dims;
  for (const SizeExpr& d : v.dims) {
    if (!d.is_constant()) return std::nullopt;
    dims.push_back(d.value);
  }
  return element_count(dims) * bytes_of(v.dtype);
}

class Folding {
 public:
  Folding(Graph& graph, const RuleLibrary& library, Folded what)
      : graph_(graph), library_(library), what_(what), named_(graph.values.size(), false) {
    for (const ValueId v : graph.outputs) named_[static_cast<size_t>(v)] = true;
    for (Region& r : graph.regions)
      for_each_value(r, [&](ValueId& v) {
        if (v != kNoValue) named_[static_cast<size_t>(v)] = true;
      });
  }

  void run() {
    std::erase_if(graph_.nodes, [&](const Node& n) { return worth_it(n) && fold(n); });
  }

 private:
  Value& value(ValueId id) { return graph_.values[static_cast<size_t>(id)]; }

  // Values that the caller or a region names keep their nodes, as do random numbers, whose nodes have no inputs.
  bool worth_it(const Node& n) {
    if (n.region != kTopLevel || n.inputs.empty() || n.gradient) return false;
    int64_t read = 0, made = 0;
    for (const ValueId v : n.inputs) {
      if (v == kNoValue) continue;
      if (!value(v).constant || value(v).trainable) return false;
      read += static_cast<int64_t>(value(v).constant->bytes.size());
    }
    for (const ValueId v : n.outputs) {
      const auto bytes = bytes_of_value(value(v));
      if (!bytes || named_[static_cast<size_t>(v)]) return false;
      made += *bytes;
    }
    return std::none_of(n.attrs.begin(), n.attrs.end(), [](const auto& a) { return of_sizes(a.second); }) &&
           made <= (what_ == Folded::Smaller ? read : std::max(kAlwaysBytes, kGrowth * read));
  }

  bool fold(const Node& n) {
    std::vector<const TensorData*> inputs;
    for (const ValueId v : n.inputs) inputs.push_back(v == kNoValue ? nullptr : value(v).constant.get());
    std::vector<TensorData> results = library_.evaluate(n.op, inputs, n.attrs);
    if (results.size() != n.outputs.size()) return false;
    for (size_t i = 0; i < results.size(); ++i)
      value(n.outputs[i]).constant = std::make_shared<const TensorData>(std::move(results[i]));
    return true;
  }

  Graph& graph_;
  const RuleLibrary& library_;
  Folded what_;
  std::vector<bool> named_;
};

}  // namespace

Graph fold_constants(Graph graph, const RuleLibrary& library, Folded what) {
  Folding(graph, library, what).run();
  return graph;
}

}  // namespace tenon
