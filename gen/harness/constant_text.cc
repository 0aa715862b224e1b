// Elements of constant tensors as C.
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "harness/common_text.h"

namespace tenon {
namespace {

/// Part `k` of a tensor of floats or complex numbers, of which each has two.
double part(const TensorData& t, int64_t k) {
  const auto at = static_cast<size_t>(k);
  if (real_of(t.dtype) == DType::F32) {
    float v = 0;
    std::memcpy(&v, t.bytes.data() + 4 * at, 4);
    return v;
  }
  double v = 0;
  std::memcpy(&v, t.bytes.data() + 8 * at, 8);
  return v;
}

bool has_parts(DType d) { return real_of(d) == DType::F32 || real_of(d) == DType::F64; }

std::string float_text(double v, DType real) {
  const bool narrow = real == DType::F32;
  std::string s = narrow ? fmt::format("{}", static_cast<float>(v)) : fmt::format("{}", v);
  if (s.find_first_of(".e") == std::string::npos) s += ".0";
  return narrow ? s + "f" : s;
}

template <class T>
std::string bits_of(const TensorData& t, int64_t k, const char* form) {
  T v = 0;
  std::memcpy(&v, t.bytes.data() + sizeof(T) * static_cast<size_t>(k), sizeof(T));
  return fmt::format(fmt::runtime(form), v);
}

}  // namespace

bool has_number_texts(const TensorData& t) {
  if (!has_parts(t.dtype)) return true;
  const int64_t n = element_count(t.dims) * (is_complex(t.dtype) ? 2 : 1);
  for (int64_t k = 0; k < n; ++k)
    if (!std::isfinite(part(t, k))) return false;
  return true;
}

std::string number_text(const TensorData& t, int64_t at) {
  if (is_complex(t.dtype))
    return fmt::format("{{{}, {}}}", float_text(part(t, 2 * at), real_of(t.dtype)),
                       float_text(part(t, 2 * at + 1), real_of(t.dtype)));
  if (has_parts(t.dtype)) return float_text(part(t, at), t.dtype);
  if (is_float(t.dtype)) return bits_of<uint16_t>(t, at, "0x{:04x}");
  if (is_small(t.dtype)) return fmt::format("{}", t.bytes[static_cast<size_t>(at)]);
  const int64_t v = int_element(t, at);
  if (t.dtype == DType::U64) return fmt::format("UINT64_C({})", static_cast<uint64_t>(v));
  if (t.dtype == DType::I64) return v == INT64_MIN ? "INT64_MIN" : fmt::format("INT64_C({})", v);
  if (t.dtype == DType::U32) return fmt::format("{}u", v);
  return v == INT32_MIN ? "INT32_MIN" : fmt::format("{}", v);
}

std::string bits_text(const TensorData& t, int64_t at) {
  const bool narrow = real_of(t.dtype) == DType::F32;
  const auto one = [&](int64_t k) {
    return narrow ? bits_of<uint32_t>(t, k, "0x{:08x}u") : bits_of<uint64_t>(t, k, "UINT64_C(0x{:016x})");
  };
  return is_complex(t.dtype) ? one(2 * at) + ", " + one(2 * at + 1) : one(at);
}

}  // namespace tenon
