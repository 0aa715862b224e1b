// The bytes of an ONNX file as a ModelProto and back, and the opsets that it imports.
#pragma once

#include <map>
#include <string>

#include "frontend/onnx/onnx.pb.h"
#include "frontend/onnx/read_onnx.h"

namespace tenon {

/// Fills `model`; false where the bytes are no model, which has been reported.
bool parse_onnx_model(const OnnxSource& source, tenon_onnx::ModelProto& model, Diagnostics& diagnostics);

/// The bytes of a model that was `where`; 2 GiB and more, which are not one message, are an error.
Result<std::string> onnx_model_bytes(tenon_onnx::ModelProto& model, const std::string& where);

/// Version by domain; the domain of ONNX itself is the empty one. A version that cannot be read is reported.
std::map<std::string, int> imported_opsets(const OnnxSource& source, const tenon_onnx::ModelProto& model,
                                           Diagnostics& diagnostics);

}  // namespace tenon
