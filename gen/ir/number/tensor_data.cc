// Reading and making elements of constant tensors.
#include "ir/number/tensor_data.h"

#include "ir/number/small_number.h"
#include "support/check.h"

namespace tenon {
int64_t element_count(const std::vector<int64_t>& dims) {
  int64_t n = 1;
  bool empty = false;
  for (int64_t d : dims) {
    if (d < 0) return -1;
    if (d == 0) empty = true;
    else if (__builtin_mul_overflow(n, d, &n)) return -1;
  }
  return empty ? 0 : n;
}

int64_t int_element(const TensorData& t, int64_t i) {
  switch (t.dtype) {
    case DType::I8: return element<int8_t>(t, i);
    case DType::I16: return element<int16_t>(t, i);
    case DType::I32: return element<int32_t>(t, i);
    case DType::I64: return element<int64_t>(t, i);
    case DType::U8: return element<uint8_t>(t, i);
    case DType::U16: return element<uint16_t>(t, i);
    case DType::U32: return element<uint32_t>(t, i);
    case DType::U64: return static_cast<int64_t>(element<uint64_t>(t, i));
    case DType::Bool: return element<uint8_t>(t, i) != 0;
    default:
      if (is_small(t.dtype) && is_int(dtype_row(t.dtype).compute))
        return static_cast<int64_t>(small_value(t.dtype, element<uint8_t>(t, i)));
      TENON_UNREACHABLE("int_element of {}", name_of(t.dtype));
  }
}

double real_element(const TensorData& t, int64_t i) {
  switch (t.dtype) {
    case DType::F16:
    case DType::BF16: return half_value(t.dtype, element<uint16_t>(t, i));
    case DType::F32: return element<float>(t, i);
    case DType::F64: return element<double>(t, i);
    case DType::U64: return static_cast<double>(element<uint64_t>(t, i));
    default:
      if (is_small(t.dtype)) return small_value(t.dtype, element<uint8_t>(t, i));
      return static_cast<double>(int_element(t, i));
  }
}

TensorData i64_tensor(std::vector<int64_t> dims, const std::vector<int64_t>& elements) {
  TensorData t{DType::I64, std::move(dims), std::vector<uint8_t>(elements.size() * 8)};
  if (!elements.empty()) std::memcpy(t.bytes.data(), elements.data(), t.bytes.size());
  return t;
}

}  // namespace tenon
