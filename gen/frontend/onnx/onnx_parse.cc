// Parses the protobuf of an ONNX file and checks what every model has; writes it.
#include "frontend/onnx/onnx_parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "support/version.h"

namespace tenon {
namespace {

constexpr int64_t kFirstOpset = 1, kLastOpset = 28;

}  // namespace

bool parse_onnx_model(const OnnxSource& source, tenon_onnx::ModelProto& model, Diagnostics& diagnostics) {
  const bool fits = source.bytes.size() <= static_cast<size_t>(std::numeric_limits<int>::max());
  if (!fits || !model.ParseFromArray(source.bytes.data(), static_cast<int>(source.bytes.size())))
    diagnostics.error_at(Code::E0801, source.path,
                         fits ? "this is not an ONNX model, or it is damaged"
                              : "models of 2 GiB and more keep their weights in a file next to them");
  else if (source.bytes.empty()) diagnostics.error_at(Code::E0801, source.path, "the file is empty");
  else if (!model.has_graph() || model.opset_import_size() == 0)
    diagnostics.error_at(Code::E0801, source.path, "this is not an ONNX model: it has no graph or imports no opset");
  return !diagnostics.has_errors();
}

Result<std::string> onnx_model_bytes(tenon_onnx::ModelProto& model, const std::string& where) {
  std::string bytes;
  model.set_producer_name("tenon");
  model.set_producer_version(std::string(kVersion));
  if (model.ByteSizeLong() < (size_t{1} << 31) && model.SerializeToString(&bytes)) return bytes;
  Diagnostics d;
  d.error_at(Code::E0801, where, "with its weights the model is larger than the 2 GiB that one file can hold");
  return d;
}

std::map<std::string, int> imported_opsets(const OnnxSource& source, const tenon_onnx::ModelProto& model,
                                           Diagnostics& diagnostics) {
  std::map<std::string, int> opsets;
  for (const tenon_onnx::OperatorSetIdProto& o : model.opset_import()) {
    const std::string domain = o.domain() == "ai.onnx" ? "" : o.domain();
    if (domain.empty() && (o.version() < kFirstOpset || o.version() > kLastOpset))
      diagnostics.error_at(Code::E0803, source.path,
                           fmt::format("opset {} cannot be read, only {} to {}", o.version(), kFirstOpset, kLastOpset),
                           {"onnx.version_converter brings a model to another opset"});
    opsets[domain] = static_cast<int>(std::clamp<int64_t>(o.version(), 1, 1000));
  }
  return opsets;
}

}  // namespace tenon
