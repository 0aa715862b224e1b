// Reads an ONNX model: checks what the file declares, then maps its nodes in order.
#include "frontend/read_onnx.h"

#include <fmt/format.h>

#include <limits>

#include "frontend/c_names.h"
#include "frontend/onnx_node.h"
#include "frontend/onnx_tensor.h"

namespace tenon {
namespace {

using namespace tenon_onnx;

constexpr int64_t kFirstOpset = 7, kLastOpset = 22;

class OnnxReader {
 public:
  OnnxReader(const OnnxSource& source, const OnnxTable& table, const OpSemantics& semantics, const SizeRanges& sizes)
      : source_(source), table_(table), semantics_(semantics), ranges_(sizes) {}

  Result<Graph> read() {
    if (!parse()) return diagnostics_;
    builder_.emplace(semantics_, c_name(model_.graph().name(), graph_names_));
    OnnxNodeContext context{*builder_, table_, std::filesystem::path(source_.path).parent_path(), {}};
    read_opsets(context);
    if (diagnostics_.has_errors()) return diagnostics_;
    read_initializers(context);
    read_inputs();
    check_sizes();
    if (diagnostics_.has_errors()) return diagnostics_;
    for (int i = 0; i < model_.graph().node_size(); ++i) read_node(context, i);
    const std::vector<std::pair<std::string, ValueId>> outputs = read_outputs();
    if (diagnostics_.has_errors()) return diagnostics_;
    return finish(outputs);
  }

 private:
  struct Known {
    ValueId id = kNoValue;  // kNoValue: its node is in error, so that what reads it is left out silently
  };

  void error(Code code, const std::string& where, const std::string& message, std::vector<std::string> notes = {}) {
    diagnostics_.error_at(code, where.empty() ? source_.path : source_.path + ": " + where, message, std::move(notes));
  }

  bool parse() {
    const bool fits = source_.bytes.size() <= static_cast<size_t>(std::numeric_limits<int>::max());
    if (!fits || !model_.ParseFromArray(source_.bytes.data(), static_cast<int>(source_.bytes.size())))
      error(Code::E0801, "", fits ? "this is no ONNX model, or it is damaged" : "models of 2 GiB and more keep their weights in a file beside them");
    else if (!model_.has_graph() || model_.opset_import_size() == 0)
      error(Code::E0801, "", "this is no ONNX model: it has no graph or imports no opset");
    else if (model_.graph().sparse_initializer_size() > 0)
      error(Code::E0805, "", fmt::format("sparse weights cannot be read ('{}')", model_.graph().sparse_initializer(0).values().name()));
    return !diagnostics_.has_errors();
  }

  void read_opsets(OnnxNodeContext& context) {
    for (const OperatorSetIdProto& o : model_.opset_import()) {
      const std::string domain = o.domain() == "ai.onnx" ? "" : o.domain();
      if (domain.empty() && (o.version() < kFirstOpset || o.version() > kLastOpset))
        error(Code::E0803, "", fmt::format("opset {} cannot be read, only {} to {}", o.version(), kFirstOpset, kLastOpset),
              {"onnx.version_converter brings a model to another opset"});
      context.opsets[domain] = static_cast<int>(std::clamp<int64_t>(o.version(), 1, 1000));
    }
  }

  void define(const std::string& name, ValueId id, const std::string& where) {
    if (!values_.emplace(name, Known{id}).second) error(Code::E0809, where, fmt::format("the name '{}' is defined twice", name));
  }

  void read_initializers(const OnnxNodeContext& context) {
    for (const TensorProto& t : model_.graph().initializer()) {
      const std::string where = fmt::format("initializer '{}'", t.name());
      Result<TensorData> data = read_onnx_tensor(t, context.folder, source_.path + ": " + where);
      diagnostics_.append(data.diagnostics());
      define(t.name(), data.ok() ? builder_->add_constant(t.name(), std::move(data).value()) : kNoValue, where);
    }
  }

  // Inputs with initializers are constants: files before IR version 4 list all weights as inputs.
  void read_inputs() {
    for (const ValueInfoProto& v : model_.graph().input()) {
      if (values_.count(v.name())) continue;
      const std::string where = fmt::format("input '{}'", v.name());
      const TypeProto::Tensor& t = v.type().tensor_type();
      const std::optional<DType> dtype = onnx_dtype(t.elem_type());
      if (v.type().value_case() != TypeProto::kTensorType) error(Code::E0805, where, "only tensors can be inputs of the program");
      else if (!dtype) error(Code::E0805, where, fmt::format("tensors of type {} cannot be read", onnx_dtype_name(t.elem_type())));
      else if (!t.has_shape()) error(Code::E0808, where, "the file does not say how many dimensions it has", {"onnx.shape_inference or the exporter can state it"});
      if (!dtype || !t.has_shape()) continue;
      std::vector<SizeExpr> dims;
      for (int axis = 0; axis < t.shape().dim_size(); ++axis) dims.push_back(extent(t.shape().dim(axis), v.name(), axis, where));
      define(v.name(), builder_->add_input(v.name(), *dtype, std::move(dims)), where);
    }
  }

  SizeExpr extent(const TensorShapeProto::Dimension& dim, const std::string& input, int axis, const std::string& where) {
    if (dim.has_dim_value() && dim.dim_value() >= 0) return dim.dim_value();
    const std::string name = dim.dim_param().empty() ? fmt::format("{}_d{}", input, axis) : dim.dim_param();
    const auto range = ranges_.find(name);
    if (range == ranges_.end()) {
      if (reported_.insert(name).second)
        error(Code::E0808, where, fmt::format("extent {} is the open size '{}'", axis, name),
              {fmt::format("add --size {}=4 to fix it, or --size {}=1..64 to bound it", name, name)});
      return 1;
    }
    used_.insert(name);
    if (range->second.lo == range->second.hi) return range->second.lo;
    const auto [entry, fresh] = size_names_.emplace(name, "");
    if (fresh) {
      entry->second = c_name(name, c_sizes_);
      builder_->add_size({entry->second, range->second.lo, range->second.hi});
    }
    return size_name(entry->second);
  }

  void check_sizes() {
    for (const auto& [name, range] : ranges_)
      if (!used_.count(name)) error(Code::E0808, "", fmt::format("--size names '{}', but the model has no such open size", name));
  }

  static std::string place(int index, const NodeProto& node) {
    const std::string name = node.name().empty() ? "" : fmt::format(" '{}'", node.name());
    return fmt::format("node {}{} ({})", index, name, node.op_type());
  }

  void read_node(OnnxNodeContext& context, int index) {
    const NodeProto& node = model_.graph().node(index);
    const std::string where = place(index, node);
    std::vector<ValueId> inputs;
    bool sound = true;
    for (const std::string& name : node.input()) {
      const auto it = values_.find(name);
      if (!name.empty() && it == values_.end()) error(Code::E0809, where, fmt::format("its input '{}' is made by no earlier node", name));
      inputs.push_back(name.empty() || it == values_.end() ? kNoValue : it->second.id);
      sound = sound && (name.empty() || inputs.back() != kNoValue);
    }
    std::vector<ValueId> outputs(static_cast<size_t>(node.output_size()), kNoValue);
    if (sound) map(context, node, inputs, where, outputs);
    for (int i = 0; i < node.output_size(); ++i) {
      if (node.output(i).empty()) continue;
      const ValueId id = outputs[static_cast<size_t>(i)];
      if (id != kNoValue) builder_->name_value(id, node.output(i));
      define(node.output(i), id, where);
    }
  }

  void map(OnnxNodeContext& context, const NodeProto& node, const std::vector<ValueId>& inputs, const std::string& where,
           std::vector<ValueId>& outputs) {
    builder_->set_origin(where);
    try {
      outputs = map_onnx_node(context, node, inputs);
    } catch (const OnnxError& e) {
      error(e.code, where, e.message, e.notes);
    } catch (const GraphError& e) {
      error(Code::E0807, where, e.what());
    }
  }

  std::vector<std::pair<std::string, ValueId>> read_outputs() {
    std::vector<std::pair<std::string, ValueId>> outputs;
    for (const ValueInfoProto& v : model_.graph().output()) {
      const auto it = values_.find(v.name());
      const std::string where = fmt::format("output '{}'", v.name());
      if (it == values_.end()) error(Code::E0809, where, "no node makes it");
      else outputs.emplace_back(v.name(), it->second.id);
    }
    if (outputs.empty()) error(Code::E0809, "", "the graph has no outputs");
    return outputs;
  }

  Result<Graph> finish(const std::vector<std::pair<std::string, ValueId>>& outputs) {
    try {
      Graph graph = builder_->finish(outputs);
      graph.doc = model_.graph().doc_string();
      return graph;
    } catch (const GraphError& e) {
      error(Code::E0807, "", e.what());
      return diagnostics_;
    }
  }

  const OnnxSource& source_;
  const OnnxTable& table_;
  const OpSemantics& semantics_;
  const SizeRanges& ranges_;
  ModelProto model_;
  std::optional<GraphBuilder> builder_;
  std::map<std::string, Known> values_;
  std::map<std::string, std::string> size_names_;  // in the file → in C
  std::set<std::string> used_, reported_, c_sizes_, graph_names_;
  Diagnostics diagnostics_;
};

}  // namespace

Result<Graph> read_onnx(const OnnxSource& source, const OnnxTable& table, const OpSemantics& semantics, const SizeRanges& sizes) {
  return OnnxReader(source, table, semantics, sizes).read();
}

}  // namespace tenon
