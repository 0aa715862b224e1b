// What an ONNX file says before its nodes: weights, inputs with their open sizes, stated shapes.
#include <fmt/format.h>

#include <cctype>

#include "frontend/onnx/onnx_control.h"
#include "frontend/onnx/onnx_reader.h"
#include "frontend/onnx/onnx_tensor.h"
#include "frontend/tensors/tensor_files.h"
#include "support/ranges.h"

namespace tenon {

using namespace tenon_onnx;

void OnnxReader::read_tensors(const OnnxNodeContext& context, const GraphProto& graph, Names& names,
                              const std::string& outer) {
  for (const TensorProto& t : graph.initializer()) {
    const std::string where = fmt::format("{}initializer '{}'", outer, t.name());
    if (is_onnx_texts(t)) {
      define(names, t.name(), texts(t, where), where);
      continue;
    }
    Result<TensorData> data = read_onnx_tensor(t, context.folder, source_.path + ": " + where);
    diagnostics_.append(data.diagnostics());
    if (const auto file = external_file(t, context.folder)) builder_->add_file(*file);
    define(names, t.name(), data.ok() ? weight(t.name(), std::move(data).value(), outer.empty()) : kNoValue, where);
  }
  for (const SparseTensorProto& t : graph.sparse_initializer()) {
    const std::string where = fmt::format("{}sparse initializer '{}'", outer, t.values().name());
    Result<TensorData> data = read_onnx_sparse_tensor(t, context.folder, source_.path + ": " + where);
    diagnostics_.append(data.diagnostics());
    for (const std::string& file : external_files(t, context.folder)) builder_->add_file(file);
    define(names, t.values().name(),
           data.ok() ? builder_->add_constant(t.values().name(), std::move(data).value()) : kNoValue, where);
  }
}

ValueId OnnxReader::texts(const TensorProto& t, const std::string& where) {
  Result<TensorData> data = read_onnx_texts(t, builder_->texts(), source_.path + ": " + where);
  diagnostics_.append(data.diagnostics());
  if (!data.ok()) return kNoValue;
  const ValueId id = builder_->add_constant(t.name(), std::move(data).value());
  builder_->texts().mark(id);
  return id;
}

ValueId OnnxReader::weight(const std::string& name, TensorData data, bool of_model) {
  const auto contents = std::make_shared<const TensorData>(std::move(data));
  const ValueId changed = of_model && source_.extension ? source_.extension->weight(name, contents) : kNoValue;
  return changed != kNoValue ? changed : builder_->add_constant(name, contents);
}

void OnnxReader::keep_asked() {
  std::vector<std::string> asked = source_.kept;
  for (const NodeProto& node : model_.graph().node())
    for (const AttributeProto& a : node.attribute())
      if (is_onnx_gradient(node) && a.name() == "xs") append(asked, a.strings());
  for (const std::string& name : asked)
    if (const auto it = values_.find(name); it != values_.end() && it->second >= 0) builder_->keep(it->second);
}

void OnnxReader::read_inputs() {
  std::set<std::string> seen;
  size_t number = 0;
  for (const ValueInfoProto& v : model_.graph().input()) {
    const std::string where = fmt::format("input '{}'", v.name());
    if (!seen.insert(v.name()).second)
      error(Code::E0809, where, fmt::format("the name '{}' is defined twice", v.name()));
    if (values_.count(v.name())) continue;
    const size_t k = number++;
    const TypeProto::Tensor& t = v.type().tensor_type();
    const bool texts = onnx_dtype_name(t.elem_type()) == "STRING";
    const std::optional<DType> dtype = texts ? DType::I64 : onnx_dtype(t.elem_type());
    if (v.type().value_case() != TypeProto::kTensorType)
      error(Code::E0805, where, "only tensors can be inputs of the program",
            {"make inputs of the elements of a sequence, or of the tensor that a node such as DictVectorizer makes of "
             "a map"});
    else if (!dtype)
      error(Code::E0805, where, fmt::format("tensors of type {} cannot be read", onnx_dtype_name(t.elem_type())));
    else if (!t.has_shape())
      error(Code::E0808, where,
            "the file does not say how many dimensions it has; give it a shape in the file, with names for the "
            "extents that are open, which --size bounds",
            {"onnx.shape_inference or the exporter can state it"});
    if (!dtype || !t.has_shape()) continue;
    if (k < source_.given.size() && source_.given[k] && !sizes_.take(t.shape(), v.name(), *source_.given[k])) {
      error(Code::E0808, where,
            fmt::format("it has {} dimensions, and the array for it has {}: {}", t.shape().dim_size(),
                        source_.given[k]->size(), shape_text(*source_.given[k])),
            {"numpy.expand_dims adds a dimension of extent 1, numpy.reshape gives any other shape"});
      continue;
    }
    std::vector<SizeExpr> dims;
    for (int axis = 0; axis < t.shape().dim_size(); ++axis)
      dims.push_back(extent(t.shape().dim(axis), v.name(), axis, where));
    const ValueId id = builder_->add_input(v.name(), *dtype, dims);
    if (texts) {
      builder_->texts().mark(id);
      diagnostics_.warning_at(Code::E0805, source_.path + ": " + where,
                              "it holds texts: the program takes their numbers in the table at the top of its header, "
                              "and -1 for any other text",
                              {"docs/onnx.md says which operators of texts are read"});
    }
    define(values_, v.name(), id, where);
    if (!texts && may_say_extents(*dtype, dims)) candidates_.push_back(id);
  }
}

SizeExpr OnnxReader::extent(const TensorShapeProto::Dimension& dim, const std::string& input, int axis,
                            const std::string& where) {
  if (is_number(dim)) return dim.dim_value();
  std::string name;
  const std::optional<SizeExpr> open = sizes_.extent(dim, input, axis, *builder_, name);
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
  };
  const char* quote = all_of(name, plain) ? "" : name.find('\'') == std::string::npos ? "'" : "\"";
  if (!open && reported_.insert(name).second)
    error(Code::E0808, where, fmt::format("extent {} is the open size '{}'", axis, name),
          {fmt::format("add --size {1}{0}=4{1} to fix it, or --size {1}{0}=1..64{1} to bound it", name, quote)});
  return open.value_or(1);
}

void OnnxReader::read_stated(OnnxNodeContext& context, const ValueInfoProto& v) const {
  const TypeProto::Tensor& t = v.type().tensor_type();
  if (v.type().value_case() != TypeProto::kTensorType || !t.has_shape()) return;
  if (std::optional<std::vector<SizeExpr>> dims = sizes_.stated(t.shape())) context.stated[v.name()] = std::move(*dims);
}

void OnnxReader::check_sizes() {
  for (const std::string& name : sizes_.unused())
    if (!source_.extension || !source_.extension->has_size(name))
      diagnostics_.error_at(Code::E0808, "--size " + name, fmt::format("{} has no such open size", source_.path),
                            {"`tenon model` without --size names those that it has"});
}

}  // namespace tenon
