// Follows values from products with constant weights through what moves or adds them.
#include "frontend/quantize/quantize_passes.h"

namespace tenon {

using namespace tenon_onnx;

namespace {

/// Operators that pass integers on with the same scale and zero point.
const std::set<std::string> kSameSteps = {"MaxPool", "Reshape",   "Flatten",  "Transpose",
                                          "Squeeze", "Unsqueeze", "Identity", "GlobalMaxPool"};
/// Operators that compute with integers and round to new steps.
const std::set<std::string> kNewSteps = {"Add", "AveragePool", "GlobalAveragePool", "Concat"};
/// Operators that are computed with the sums before these are rounded.
const std::set<std::string> kBehindSums = {"Relu", "Clip", "LeakyRelu"};

bool is_product(const NodeProto& n) {
  return n.op_type() == "Conv" || n.op_type() == "Gemm" || n.op_type() == "MatMul";
}

class Chooser {
 public:
  Chooser(OnnxGraph& graph, std::set<std::string>& kept) : graph_(graph), kept_(kept), all_kept_(kept) {}

  QuantizedChoice choose() {
    for (NodeProto& n : *graph_.proto().mutable_node()) {
      if (n.output_size() == 0 || n.input_size() == 0 || !n.domain().empty()) continue;
      if (stays_float(n)) {
        if (is_product(n)) ++out_.left;
        continue;
      }
      if (weight_axis(graph_, n) >= 0 && !graph_.is_constant(n.input(0))) take_product(n);
      else if (is_product(n)) ++out_.left;
      else if (kNewSteps.count(n.op_type()) != 0) take_new_steps(n);
      else if (kSameSteps.count(n.op_type()) != 0 && is_taken(n.input(0)) && !graph_.is_output(n.output(0)))
        take(n.output(0)), join(n.output(0), n.input(0));
    }
    keep_needed();
    for (const std::string& v : out_.values) out_.group[v] = root(v);
    return std::move(out_);
  }

 private:
  bool stays_float(const NodeProto& n) {
    kept_.erase(n.name());
    kept_.erase(n.output(0));
    return all_kept_.count(n.name()) != 0 || all_kept_.count(n.output(0)) != 0;
  }

  /// Leaves out values that are only read as floats: rounding them would lose precision for nothing.
  void keep_needed() {
    std::set<std::string> needed;
    const auto& nodes = graph_.proto().node();
    for (int k = nodes.size(); k-- > 0;) {
      const NodeProto& n = nodes[k];
      const std::string made = n.output_size() == 0 ? "" : n.output(0);
      if (out_.weighted.count(made) != 0) needed.insert(n.input(0));
      const bool moves = kSameSteps.count(n.op_type()) != 0 && is_taken(made) && needed.count(made) != 0;
      const auto sum = sums_.find(made);
      if (moves || (sum != sums_.end() && needed.count(sum->second) != 0))
        for (const std::string& i : n.input())
          if (is_taken(i)) needed.insert(i);
    }
    std::vector<std::string> kept;
    for (std::string& v : out_.values)
      if (needed.count(v) != 0) kept.push_back(std::move(v));
    out_.values = std::move(kept);
  }

  void take_product(const NodeProto& n) {
    take(n.input(0));
    out_.weighted.insert(n.output(0));
    take_result(n);
  }

  /// Sums, means and concatenations of values that are integers already.
  void take_new_steps(const NodeProto& n) {
    bool any = false;
    for (const std::string& i : n.input()) any = any || is_taken(i);
    if (!any) return;
    for (const std::string& i : n.input())
      if (!i.empty() && !graph_.is_constant(i)) take(i);
    sums_[n.output(0)] = take_result(n);
    if (n.op_type() != "Concat" || !is_taken(n.output(0))) return;
    for (const std::string& i : n.input())
      if (is_taken(i)) join(i, n.output(0));
  }

  /// What the node makes, after activations and additions of constants that are computed with it. An output of the
  /// graph stays as it is.
  std::string take_result(const NodeProto& n) {
    const NodeProto* last = &n;
    while (const NodeProto* next = graph_.only_reader(last->output(0))) {
      const bool bias = next->op_type() == "Add" && next->input_size() == 2 &&
                        (graph_.is_constant(next->input(0)) || graph_.is_constant(next->input(1)));
      if (!bias && kBehindSums.count(next->op_type()) == 0) break;
      last = next;
    }
    if (!graph_.is_output(last->output(0))) take(last->output(0));
    return last->output(0);
  }

  bool is_taken(const std::string& v) const { return taken_.count(v) != 0; }
  void take(const std::string& v) {
    if (taken_.insert(v).second) out_.values.push_back(v);
  }
  std::string root(const std::string& v) const {
    const auto at = parent_.find(v);
    return at == parent_.end() ? v : root(at->second);
  }
  void join(const std::string& a, const std::string& b) {
    const std::string x = root(a), y = root(b);
    if (x != y) parent_[x] = y;
  }

  OnnxGraph& graph_;
  std::set<std::string>& kept_;
  const std::set<std::string> all_kept_;
  std::set<std::string> taken_;
  std::map<std::string, std::string> parent_;
  std::map<std::string, std::string> sums_;  ///< result of a sum, mean or concatenation → value rounded after it
  QuantizedChoice out_;
};

}  // namespace

int weight_axis(const OnnxGraph& graph, const NodeProto& node) {
  if (!is_product(node) || node.input_size() < 2 || !graph.floats(node.input(1))) return -1;
  const size_t rank = graph.dims_of(node.input(1)).size();
  if (node.op_type() == "Conv") return rank >= 3 ? 0 : -1;
  if (rank != 2) return -1;
  if (node.op_type() == "MatMul") return 1;
  const bool plain = float_attribute(node, "alpha", 1) == 1 && int_attribute(node, "transA", 0) == 0;
  return !plain ? -1 : int_attribute(node, "transB", 0) != 0 ? 0 : 1;
}

QuantizedChoice choose_quantized(OnnxGraph& graph, std::set<std::string>& kept) {
  return Chooser(graph, kept).choose();
}

}  // namespace tenon
