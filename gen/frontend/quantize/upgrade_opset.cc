// Attributes that became inputs, and operators that went.
#include <fmt/format.h>

#include "frontend/quantize/quantize_passes.h"
#include "support/ranges.h"

namespace tenon {

using namespace tenon_onnx;

namespace {

constexpr int64_t kFirst = 7, kTarget = 13;

class Upgrade {
 public:
  Upgrade(OnnxGraph& graph, int64_t version, const std::string& path, Diagnostics& diagnostics)
      : graph_(graph), version_(version), path_(path), diagnostics_(diagnostics) {}

  void run() {
    std::vector<NodeProto> out;
    for (int k = 0; k < graph_.proto().node_size(); ++k) {
      NodeProto n = graph_.proto().node(k);
      const bool standard = n.domain().empty() || n.domain() == "ai.onnx";
      if (standard && n.input_size() != 0 && n.output_size() != 0) upgrade(n, k, out);
      out.push_back(std::move(n));
      append(out, std::move(after_));
      after_.clear();
    }
    graph_.proto().clear_node();
    for (NodeProto& n : out) *graph_.proto().add_node() = std::move(n);
    graph_.index();
  }

 private:
  void upgrade(NodeProto& n, int index, std::vector<NodeProto>& before) {
    const std::string& op = n.op_type();
    if (op == "Dropout") dropout(n, index);
    else if (op == "Squeeze" || op == "Unsqueeze" || op == "ReduceSum") lists_to_inputs(n, {"axes"});
    else if (op == "Split") lists_to_inputs(n, {"split"});
    else if (op == "Slice" && version_ < 10) lists_to_inputs(n, {"starts", "ends", "axes"});
    else if (op == "Clip" && version_ < 11) numbers_to_inputs(n, {"min", "max"});
    else if (op == "Pad" && version_ < 11) {
      lists_to_inputs(n, {"pads"});
      numbers_to_inputs(n, {"value"});
    } else if (op == "TopK" && version_ < 10) {
      n.add_input(graph_.add_ints(n.output(0) + "_k", {int_attribute(n, "k", 1)}));
      drop_attribute(n, "k");
    } else if (op == "BatchNormalization" && int_attribute(n, "spatial", 1) == 1) drop_attribute(n, "spatial");
    else if (op == "Upsample" || (op == "Resize" && version_ < 11)) resize(n);
    else if (op == "Softmax" || op == "LogSoftmax" || op == "Hardmax") flattened(n, before);
    else if (has_graph(n) || op == "Scan" || op == "Loop" || op == "If" || op == "BatchNormalization")
      refuse(n, index, "its form differs between the opsets");
  }

  static bool has_graph(const NodeProto& n) {
    return any_of(n.attribute(), [&](const AttributeProto& a) { return a.has_g() || a.graphs_size() != 0; });
  }

  void refuse(const NodeProto& n, int index, const std::string& why) {
    diagnostics_.error_at(Code::E0803, fmt::format("{}: node {} '{}' ({})", path_, index, n.name(), n.op_type()),
                          fmt::format("scales a channel need opset {}, the model has {}: {}", kTarget, version_, why),
                          {"onnx.version_converter brings a model to another opset"});
  }

  /// Without training it passes its input on unchanged.
  void dropout(NodeProto& n, int index) {
    if (n.output_size() > 1 && graph_.is_read(n.output(1))) return refuse(n, index, "its mask is read");
    n.set_op_type("Identity");
    n.clear_attribute();
    while (n.input_size() > 1) n.mutable_input()->RemoveLast();
    while (n.output_size() > 1) n.mutable_output()->RemoveLast();
  }

  void lists_to_inputs(NodeProto& n, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const AttributeProto* a = find_attribute(n, name);
      if (a == nullptr) return;
      n.add_input(graph_.add_ints(n.output(0) + "_" + name, {a->ints().begin(), a->ints().end()}));
      drop_attribute(n, name);
    }
  }

  void numbers_to_inputs(NodeProto& n, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const AttributeProto* a = find_attribute(n, name);
      n.add_input(a != nullptr ? graph_.add_floats(n.output(0) + "_" + name, {}, {a->f()}) : "");
      drop_attribute(n, name);
    }
  }

  /// Samples at the floor of the place times the scale, as both operators did.
  void resize(NodeProto& n) {
    std::string scales = n.input_size() > 1 ? n.input(1) : "";
    if (const AttributeProto* a = find_attribute(n, "scales"))
      scales = graph_.add_floats(n.output(0) + "_scales", {a->floats_size()}, {a->floats().begin(), a->floats().end()});
    drop_attribute(n, "scales");
    n.set_op_type("Resize");
    while (n.input_size() > 1) n.mutable_input()->RemoveLast();
    n.add_input("");
    n.add_input(scales);
    for (const auto& [name, value] :
         {std::pair{"coordinate_transformation_mode", "asymmetric"}, std::pair{"nearest_mode", "floor"}}) {
      AttributeProto& a = *n.add_attribute();
      a.set_name(name);
      a.set_type(AttributeProto::STRING);
      a.set_s(value);
    }
  }

  /// Before opset 13 all dimensions from `axis` on were flattened into one.
  void flattened(NodeProto& n, std::vector<NodeProto>& before) {
    const std::string shape = graph_.fresh_name(n.output(0) + "_shape"),
                      flat = graph_.fresh_name(n.output(0) + "_flat"),
                      result = graph_.fresh_name(n.output(0) + "_rows");
    before.push_back(make_node("Shape", {n.input(0)}, shape));
    before.push_back(make_node("Flatten", {n.input(0)}, flat));
    set_int(before.back(), "axis", int_attribute(n, "axis", 1));
    after_.push_back(make_node("Reshape", {result, shape}, n.output(0)));
    n.set_input(0, flat);
    n.set_output(0, result);
    set_int(n, "axis", 1);
  }

  OnnxGraph& graph_;
  int64_t version_;
  const std::string& path_;
  Diagnostics& diagnostics_;
  std::vector<NodeProto> after_;
};

}  // namespace

void upgrade_opset(ModelProto& model, OnnxGraph& graph, const std::string& path, Diagnostics& diagnostics) {
  for (OperatorSetIdProto& o : *model.mutable_opset_import()) {
    if ((!o.domain().empty() && o.domain() != "ai.onnx") || o.version() >= kTarget) continue;
    if (o.version() < kFirst) {
      diagnostics.error_at(
          Code::E0803, path,
          fmt::format("models of opset {} and later are quantised, this one has {}", kFirst, o.version()),
          {"onnx.version_converter brings a model to another opset"});
      return;
    }
    Upgrade(graph, o.version(), path, diagnostics).run();
    o.set_version(kTarget);
  }
  constexpr int64_t kIrVersion = 7;  // the first version with opset 13
  if (model.ir_version() < kIrVersion) model.set_ir_version(kIrVersion);
}

}  // namespace tenon
