// Tensors of ONNX files: dense, sparse, and of texts.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "frontend/graph/text_table.h"
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

/// All elements of the tensor: its values where its indices say, 0 elsewhere. Indices are numbers of elements or rows
/// of coordinates. `where` names the tensor in errors.
Result<TensorData> read_onnx_sparse_tensor(const tenon_onnx::SparseTensorProto& tensor,
                                           const std::filesystem::path& folder, const std::string& where);

/// The files next to the model that hold its values and indices.
std::vector<std::string> external_files(const tenon_onnx::SparseTensorProto& tensor,
                                        const std::filesystem::path& folder);

/// Operators that rearrange the elements of a tensor, which may be strings.
bool moves_texts(const std::string& op_type);
/// Operators that have a table of texts and return the entry next to a text in it.
bool looks_up_texts(const std::string& op_type);

bool is_onnx_texts(const tenon_onnx::TensorProto& tensor);

/// Of a tensor of texts: i64, their numbers in the table. `where` names the tensor in errors.
Result<TensorData> read_onnx_texts(const tenon_onnx::TensorProto& tensor, TextTable& texts, const std::string& where);

}  // namespace tenon
