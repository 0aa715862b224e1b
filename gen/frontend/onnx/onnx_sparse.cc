// Writes the values of a SparseTensorProto among zeros.
#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "frontend/onnx/onnx_tensor.h"

namespace tenon {
namespace {

using tenon_onnx::SparseTensorProto;

constexpr int64_t kMaximumBytes = int64_t{1} << 32;  // a few bytes of a file may request any amount of memory

/// The bytes that all elements take; nothing where they are too many, or an extent is negative.
std::optional<int64_t> dense_bytes(const SparseTensorProto& t, int64_t width) {
  int64_t bytes = width;
  for (const int64_t d : t.dims()) {
    if (d < 0 || (d > 0 && bytes > kMaximumBytes / d)) return std::nullopt;
    bytes *= d;
  }
  return bytes;
}

/// The linear index of the element at entry `i` of the indices; empty if it is out of range.
std::optional<int64_t> element_number(const SparseTensorProto& t, const TensorData& indices, int64_t i) {
  const bool linear = indices.dims.size() == 1;
  int64_t number = 0, count = 1;
  for (const int64_t d : t.dims()) count *= d;
  if (linear) {
    number = int_element(indices, i);
    return number >= 0 && number < count ? std::optional(number) : std::nullopt;
  }
  for (int axis = 0; axis < t.dims_size(); ++axis) {
    const int64_t at = int_element(indices, i * t.dims_size() + axis);
    if (at < 0 || at >= t.dims(axis)) return std::nullopt;
    number = number * t.dims(axis) + at;
  }
  return number;
}

Diagnostics fault(const std::string& where, const std::string& message) {
  Diagnostics d;
  d.error_at(Code::E0805, where, message);
  return d;
}

}  // namespace

Result<TensorData> read_onnx_sparse_tensor(const SparseTensorProto& tensor, const std::filesystem::path& folder,
                                           const std::string& where) {
  Result<TensorData> values = read_onnx_tensor(tensor.values(), folder, where);
  if (!values.ok()) return values;
  const Result<TensorData> indices = read_onnx_tensor(tensor.indices(), folder, where);
  if (!indices.ok()) return indices;
  const int64_t count = element_count(values->dims), rank = tensor.dims_size();
  const bool linear = indices->dims == std::vector<int64_t>{count};
  if (values->dims.size() != 1 || indices->dtype != DType::I64 ||
      !(linear || indices->dims == std::vector<int64_t>{count, rank}))
    return fault(where, fmt::format("the indices of {} sparse values are i64[{}] or i64[{}, {}], and the values have "
                                    "one dimension",
                                    count, count, count, rank));
  const int64_t width = bytes_of(values->dtype);
  const std::optional<int64_t> size = dense_bytes(tensor, width);
  if (!size) return fault(where, "the extents of a sparse tensor are negative or too large");
  TensorData dense{values->dtype, {tensor.dims().begin(), tensor.dims().end()}, {}};
  dense.bytes.resize(static_cast<size_t>(*size), 0);
  for (int64_t i = 0; i < count; ++i) {
    const std::optional<int64_t> number = element_number(tensor, *indices, i);
    if (!number) return fault(where, fmt::format("index {} of a sparse tensor is outside of its extents", i));
    std::memcpy(dense.bytes.data() + *number * width, values->bytes.data() + i * width, static_cast<size_t>(width));
  }
  return dense;
}

std::vector<std::string> external_files(const SparseTensorProto& tensor, const std::filesystem::path& folder) {
  std::vector<std::string> files;
  for (const auto* part : {&tensor.values(), &tensor.indices()})
    if (const auto file = external_file(*part, folder)) files.push_back(*file);
  return files;
}

}  // namespace tenon
