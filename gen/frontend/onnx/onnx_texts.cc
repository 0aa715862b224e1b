// Reads texts as numbers.
#include <fmt/format.h>

#include <set>

#include "frontend/onnx/onnx_tensor.h"

namespace tenon {

using tenon_onnx::TensorProto;

bool moves_texts(const std::string& op_type) {
  static const std::set<std::string> moving{"ArrayFeatureExtractor",
                                            "Compress",
                                            "Concat",
                                            "Expand",
                                            "Flatten",
                                            "Gather",
                                            "GatherElements",
                                            "GatherND",
                                            "Identity",
                                            "Reshape",
                                            "Slice",
                                            "Split",
                                            "Squeeze",
                                            "Tile",
                                            "Transpose",
                                            "Unsqueeze",
                                            "Where"};
  return moving.count(op_type) > 0;
}

bool looks_up_texts(const std::string& op_type) {
  static const std::set<std::string> tables{"CategoryMapper", "LabelEncoder", "OneHotEncoder"};
  return tables.count(op_type) > 0;
}

bool is_onnx_texts(const TensorProto& tensor) { return onnx_dtype_name(tensor.data_type()) == "STRING"; }

Result<TensorData> read_onnx_texts(const TensorProto& tensor, TextTable& texts, const std::string& where) {
  TensorData data{DType::I64, {tensor.dims().begin(), tensor.dims().end()}, {}};
  const int64_t count = element_count(data.dims);
  if (count != tensor.string_data_size()) {
    Diagnostics wrong;
    wrong.error_at(Code::E0805, where,
                   fmt::format("the extents take {} texts, but there are {}", count, tensor.string_data_size()));
    return wrong;
  }
  data.bytes.reserve(static_cast<size_t>(count) * sizeof(int64_t));
  for (const std::string& text : tensor.string_data()) {
    const int64_t number = texts.number_of(text);
    const auto* bytes = reinterpret_cast<const uint8_t*>(&number);
    data.bytes.insert(data.bytes.end(), bytes, bytes + sizeof number);
  }
  return data;
}

}  // namespace tenon
