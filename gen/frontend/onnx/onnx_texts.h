// Tensors of texts in ONNX files, read as the numbers of the texts.
#pragma once

#include <string>

#include "frontend/graph/text_table.h"
#include "frontend/onnx/onnx.pb.h"
#include "ir/number/tensor_data.h"
#include "support/result.h"

namespace tenon {

/// Operators that give other places to the elements of a tensor: texts are such.
bool moves_texts(const std::string& op_type);
/// Operators that have a table of texts and return the entry next to a text in it.
bool looks_up_texts(const std::string& op_type);

bool is_onnx_texts(const tenon_onnx::TensorProto& tensor);

/// Of a tensor of texts: i64, their numbers in the table. `where` names the tensor in errors.
Result<TensorData> read_onnx_texts(const tenon_onnx::TensorProto& tensor, TextTable& texts, const std::string& where);

}  // namespace tenon
