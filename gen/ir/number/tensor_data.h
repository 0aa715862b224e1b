// Contents of a constant tensor: raw little-endian bytes with their dtype and extents.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "ir/number/dtype.h"

namespace tenon {

/// A dense row-major tensor. `bytes` holds product(dims) elements in little-endian order, one byte an element for bool.
struct TensorData {
  DType dtype = DType::F32;
  std::vector<int64_t> dims;
  std::vector<uint8_t> bytes;
  bool operator==(const TensorData&) const = default;
};

/// Number of elements of a tensor with these non-negative extents; -1 where the product leaves 63 bits or an extent is
/// negative.
int64_t element_count(const std::vector<int64_t>& dims);

/// The bytes of element `index` as a number of the same size.
template <class T>
T element(const TensorData& tensor, int64_t index) {
  T v;
  std::memcpy(&v, tensor.bytes.data() + static_cast<size_t>(index) * sizeof(T), sizeof(T));
  return v;
}

/// Element `index` of an integer or bool tensor; u64 as its bits.
int64_t int_element(const TensorData& tensor, int64_t index);

/// Element `index` of a real tensor of any dtype, widened to double (f16 and bf16 exactly).
double real_element(const TensorData& tensor, int64_t index);

/// An i64 tensor with these extents and elements.
TensorData i64_tensor(std::vector<int64_t> dims, const std::vector<int64_t>& elements);

}  // namespace tenon
