// Follows initializers to the operators that read them.
#include "frontend/onnx/onnx_weights.h"

#include <map>
#include <set>
#include <string_view>

#include "frontend/onnx/onnx.pb.h"
#include "frontend/onnx/onnx_nodes.h"
#include "frontend/onnx/onnx_tensor.h"
#include "support/ranges.h"

namespace tenon {

using namespace tenon_onnx;

namespace {

/// Inputs of an operator that may be weights.
struct WeightRow {
  std::string_view op;
  std::vector<int> inputs;  // empty: all of them
  enum class Kind { product, norm, elementwise } kind;
};

const std::vector<WeightRow>& weight_rows() {
  using enum WeightRow::Kind;
  static const std::vector<WeightRow> rows = {{"Conv", {1, 2}, product},
                                              {"ConvTranspose", {1, 2}, product},
                                              {"Gemm", {0, 1, 2}, product},
                                              {"MatMul", {0, 1}, product},
                                              {"Einsum", {}, product},
                                              {"Gather", {0}, product},
                                              {"LSTM", {1, 2, 3, 7}, product},
                                              {"GRU", {1, 2, 3}, product},
                                              {"RNN", {1, 2, 3}, product},
                                              {"BatchNormalization", {1, 2}, norm},
                                              {"InstanceNormalization", {1, 2}, norm},
                                              {"GroupNormalization", {1, 2}, norm},
                                              {"LayerNormalization", {1, 2}, norm},
                                              {"RMSNormalization", {1}, norm},
                                              {"PRelu", {1}, norm},
                                              {"Add", {}, elementwise},
                                              {"Sub", {}, elementwise},
                                              {"Mul", {}, elementwise},
                                              {"Div", {}, elementwise},
                                              {"Sum", {}, elementwise},
                                              {"Concat", {}, elementwise}};
  return rows;
}

/// Operators through which a weight is still one.
bool passes_on(const std::string& op) {
  static const std::set<std::string_view> ops = {"Reshape", "Transpose", "Identity", "Unsqueeze", "Squeeze",
                                                 "Flatten", "Cast",      "Slice",    "Split",     "Expand",
                                                 "Concat",  "Add",       "Sub",      "Mul",       "Div"};
  return ops.count(op) > 0;
}

int64_t weights_in(const TensorProto& t) {
  int64_t count = 1;
  for (const int64_t d : t.dims()) count *= std::max<int64_t>(d, 0);
  return count;
}

class WeightFinder {
 public:
  explicit WeightFinder(const GraphProto& graph) {
    for (const TensorProto& t : graph.initializer()) {
      made_of_[t.name()] = {};
      if (const auto dtype = onnx_dtype(t.data_type()); !dtype || !is_float(*dtype)) continue;
      made_of_[t.name()] = {t.name()};
      if (weights_in(t) == 1) single_.insert(t.name());
    }
    for (const int i : onnx_node_order(graph.node())) node(graph.node(i));
  }

  OnnxWeights found() && { return std::move(found_); }

 private:
  void node(const NodeProto& node) {
    if (is_constant(node)) return constant(node);
    if (node.op_type() == "BatchNormalization")
      for (int k = 3; k < std::min(5, node.input_size()); ++k) take(node.input(k), found_.statistics);
    for (const WeightRow& row : weight_rows())
      if (row.op == node.op_type()) reads(node, row);
  }

  /// Whether the results depend only on initializers.
  bool is_constant(const NodeProto& node) const {
    return all_of(node.input(), [&](const std::string& name) { return name.empty() || made_of_.count(name) > 0; });
  }

  void constant(const NodeProto& node) {
    std::vector<std::string> sources;
    if (passes_on(node.op_type()))
      for (const std::string& name : node.input())
        if (!name.empty()) append(sources, made_of_[name]);
    for (const std::string& name : node.output()) made_of_[name] = sources;
  }

  void reads(const NodeProto& node, const WeightRow& row) {
    std::vector<std::string> names;
    for (int k = 0; k < node.input_size(); ++k)
      if (row.inputs.empty() || contains(row.inputs, k)) take(node.input(k), names);
    // A scalar factor in a formula is not a weight.
    if (row.kind == WeightRow::Kind::elementwise)
      std::erase_if(names, [&](const std::string& name) { return single_.count(name) > 0; });
    if (names.empty()) return;
    if (row.kind == WeightRow::Kind::product || found_.layers.empty()) found_.layers.emplace_back();
    found_.layers.back().insert(found_.layers.back().end(), names.begin(), names.end());
  }

  /// The initializers that a value is made of, those that were not taken yet.
  void take(const std::string& value, std::vector<std::string>& to) {
    const auto it = made_of_.find(value);
    if (it == made_of_.end()) return;
    for (const std::string& name : it->second)
      if (taken_.insert(name).second) to.push_back(name);
  }

  std::map<std::string, std::vector<std::string>> made_of_;  // values that are known before run time
  std::set<std::string> single_, taken_;
  OnnxWeights found_;
};

}  // namespace

std::vector<std::string> OnnxWeights::all() const {
  std::vector<std::string> names;
  for (const auto& layer : layers) append(names, layer);
  return names;
}

OnnxWeights find_onnx_weights(const GraphProto& graph) { return WeightFinder(graph).found(); }

bool matches_pattern(const std::string& name, const std::string& pattern) {
  size_t n = 0, p = 0, star = std::string::npos, after = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string::npos) {
      p = star + 1;
      n = ++after;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace tenon
