// Sparse tensors of ONNX files, which become dense constants.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "frontend/onnx/onnx.pb.h"
#include "ir/number/tensor_data.h"
#include "support/result.h"

namespace tenon {

/// All elements of the tensor: its values where its indices say, 0 elsewhere. Indices are numbers of elements or rows
/// of coordinates. `where` names the tensor in errors.
Result<TensorData> read_onnx_sparse_tensor(const tenon_onnx::SparseTensorProto& tensor,
                                           const std::filesystem::path& folder, const std::string& where);

/// The files next to the model that hold its values and indices.
std::vector<std::string> external_files(const tenon_onnx::SparseTensorProto& tensor,
                                        const std::filesystem::path& folder);

}  // namespace tenon
