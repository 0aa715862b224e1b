// Puts tensors into a ModelProto.
#include "frontend/onnx/write_onnx.h"

#include <fmt/format.h>

#include "frontend/onnx/onnx_parse.h"
#include "frontend/onnx/onnx_tensor.h"

namespace tenon {

using namespace tenon_onnx;

namespace {

constexpr int kIrVersion = 8, kOpset = 17;  // an IR version that tools of recent years read

std::string type_text(const TensorData& t) { return to_text(TensorType{t.dtype, {t.dims.begin(), t.dims.end()}}); }

}  // namespace

Result<std::string> onnx_with_weights(const OnnxSource& source, const NamedTensors& weights) {
  ModelProto model;
  Diagnostics diagnostics;
  if (!parse_onnx_model(source, model, diagnostics)) return diagnostics;
  const std::filesystem::path folder = std::filesystem::path(source.path).parent_path();
  NamedTensors left = weights;
  for (TensorProto& t : *model.mutable_graph()->mutable_initializer()) {
    const auto trained = weights.find(t.name());
    if (trained == weights.end() && !external_file(t, folder)) continue;
    const Result<TensorData> now = read_onnx_tensor(t, folder, source.path + ": initializer '" + t.name() + "'");
    diagnostics.append(now.diagnostics());
    if (!now.ok()) continue;
    const TensorData& next = trained == weights.end() ? *now : trained->second;
    left.erase(t.name());
    if (next.dtype != now->dtype || next.dims != now->dims)
      diagnostics.error_at(Code::E0805, source.path + ": initializer '" + t.name() + "'",
                           fmt::format("it is {}, and the trained one {}", type_text(*now), type_text(next)));
    else fill_onnx_tensor(t, std::string(t.name()), next);
  }
  for (const auto& [name, data] : left)
    diagnostics.error_at(Code::E0809, source.path, fmt::format("it has no initializer '{}'", name));
  if (diagnostics.has_errors()) return diagnostics;
  return onnx_model_bytes(model, source.path);
}

Result<std::string> onnx_of_weights(const std::string& name, const NamedTensors& weights) {
  ModelProto model;
  model.set_ir_version(kIrVersion);
  model.add_opset_import()->set_version(kOpset);
  GraphProto& graph = *model.mutable_graph();
  graph.set_name(name);
  for (const auto& [tensor, data] : weights) {
    fill_onnx_tensor(*graph.add_initializer(), tensor, data);
    ValueInfoProto& output = *graph.add_output();
    output.set_name(tensor);
    TypeProto::Tensor& type = *output.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx_type_of(data.dtype));
    type.mutable_shape();
    for (const int64_t d : data.dims) type.mutable_shape()->add_dim()->set_dim_value(d);
  }
  return onnx_model_bytes(model, name);
}

}  // namespace tenon
