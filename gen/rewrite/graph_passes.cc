// Passes of the rewriter that are not rules: constant folding, common subexpressions, prefixes of concatenations.
#include "rewrite/graph_passes.h"

#include <map>
#include <tuple>

#include "support/ranges.h"

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

/// Which values an output or a region of the graph names.
std::vector<bool> named_values(Graph& graph) {
  std::vector<bool> named(graph.values.size(), false);
  for (const ValueId v : graph.outputs) named[static_cast<size_t>(v)] = true;
  for (Region& r : graph.regions)
    for_each_value(r, [&](ValueId& v) {
      if (v != kNoValue) named[static_cast<size_t>(v)] = true;
    });
  return named;
}

class Folding {
 public:
  Folding(Graph& graph, const RuleLibrary& library, Folded what)
      : graph_(graph), library_(library), what_(what), named_(named_values(graph)) {}

  void run() {
    std::erase_if(graph_.nodes, [&](const Node& n) { return worth_it(n) && fold(n); });
  }

 private:
  Value& value(ValueId id) { return graph_.value(id); }

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
    return none_of(n.attrs, [](const auto& a) { return of_sizes(a.second); }) &&
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

namespace {

/// Stands for constants of equal contents; small ones only, which is where they are copied.
std::vector<ValueId> merged_constants(const Graph& graph) {
  constexpr size_t worth_bytes = 4096;
  std::vector<ValueId> map(graph.values.size());
  std::map<std::tuple<DType, std::vector<int64_t>, std::vector<uint8_t>>, ValueId> first;
  for (size_t i = 0; i < graph.values.size(); ++i) {
    const Value& v = graph.values[i];
    map[i] = static_cast<ValueId>(i);
    if (!v.constant || v.trainable || v.constant->bytes.size() > worth_bytes) continue;
    map[i] = first.emplace(std::tuple(v.dtype, v.constant->dims, v.constant->bytes), map[i]).first->second;
  }
  return map;
}

std::string attribute_text(const Attributes& attrs) {
  std::string text;
  for (const auto& [name, value] : attrs) text += name + "=" + std::to_string(value.index()) + to_text(value) + ";";
  return text;
}

/// What nodes of one op and equal inputs may differ in.
std::string details_of(const Node& n) {
  std::string text = attribute_text(n.attrs);
  if (!n.gradient) return text;
  // Shapes of inputs that the gradient does not read.
  for (const auto& input : n.gradient->inputs) {
    text += input ? std::string(name_of(input->dtype)) + "[" : "_";
    for (const SizeExpr& d : input ? input->dims : std::vector<SizeExpr>{}) text += to_text(d) + ",";
  }
  for (const size_t y : n.gradient->cotangents) text += ";" + std::to_string(y);
  return text + details_of(n.gradient->of);
}

}  // namespace

Graph merge_equal(Graph graph) {
  std::vector<ValueId> map = merged_constants(graph);
  const std::vector<bool> named = named_values(graph);
  std::map<std::tuple<RegionId, std::string, std::vector<ValueId>, std::string>, size_t> seen;
  std::vector<Node> nodes;
  for (Node& n : graph.nodes) {
    for (ValueId& v : n.inputs) v = v == kNoValue ? v : map[static_cast<size_t>(v)];
    const auto [at, added] = seen.emplace(std::tuple(n.region, n.op, n.inputs, details_of(n)), nodes.size());
    const bool stays = added || n.outputs.size() != nodes[at->second].outputs.size() ||
                       any_of(n.outputs, [&](ValueId v) { return named[static_cast<size_t>(v)]; });
    if (!stays)
      for (size_t i = 0; i < n.outputs.size(); ++i)
        map[static_cast<size_t>(n.outputs[i])] = nodes[at->second].outputs[i];
    else nodes.push_back(std::move(n));
  }
  graph.nodes = std::move(nodes);
  return graph;
}

namespace {

/// Fewer operands are read in place: a separate result would be one more copy.
constexpr size_t kLong = 8;

struct Concatenation {
  std::vector<ValueId> operands;
  ValueId result = kNoValue;
};

bool is_prefix(const std::vector<ValueId>& a, const std::vector<ValueId>& of) {
  return a.size() < of.size() && std::equal(a.begin(), a.end(), of.begin());
}

}  // namespace

Graph share_prefixes(Graph graph) {
  std::map<std::tuple<RegionId, std::string, ValueId>, std::vector<Concatenation>>
      earlier;  // by axis and first operand
  for (Node& n : graph.nodes) {
    const auto axis = n.attrs.find("axis");
    if (n.op != "concat" || n.inputs.size() < kLong || axis == n.attrs.end()) continue;
    std::vector<Concatenation>& same = earlier[{n.region, to_text(axis->second), n.inputs[0]}];
    const Concatenation whole{n.inputs, n.outputs[0]};
    const auto longest = std::max_element(same.begin(), same.end(), [&](const auto& a, const auto& b) {
      return (is_prefix(a.operands, whole.operands) ? a.operands.size() : 0) <
             (is_prefix(b.operands, whole.operands) ? b.operands.size() : 0);
    });
    if (longest != same.end() && is_prefix(longest->operands, whole.operands)) {
      n.inputs.erase(n.inputs.begin(), n.inputs.begin() + static_cast<std::ptrdiff_t>(longest->operands.size()));
      n.inputs.insert(n.inputs.begin(), longest->result);
    }
    same.push_back(whole);
  }
  return graph;
}

}  // namespace tenon
