// Tensors of ONNX files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "frontend/onnx/onnx.pb.h"
#include "ir/number/tensor_data.h"
#include "support/result.h"

namespace tenon {

/// The dtype of an ONNX element type, where there is one.
std::optional<DType> onnx_dtype(int element_type);
/// The ONNX element type of a dtype.
int onnx_type_of(DType dtype);
/// What the schema calls an element type, for messages: "FLOAT8E4M3FN".
std::string onnx_dtype_name(int element_type);

/// The tensor's contents from raw or typed fields, or from a file next to the model (in `folder`; a path that leaves it
/// is an error). Declared extents and actual bytes have to agree. `where` names the tensor in errors.
Result<TensorData> read_onnx_tensor(const tenon_onnx::TensorProto& tensor, const std::filesystem::path& folder,
                                    const std::string& where);

/// Makes the message this tensor, its contents as raw bytes.
void fill_onnx_tensor(tenon_onnx::TensorProto& tensor, const std::string& name, const TensorData& data);

/// The path of the file next to the model that holds the contents; nothing where the model holds them.
std::optional<std::string> external_file(const tenon_onnx::TensorProto& tensor, const std::filesystem::path& folder);

}  // namespace tenon
