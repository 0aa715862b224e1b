// Writes .npy.
#include <fmt/format.h>

#include "frontend/tensors/tensor_files.h"

namespace tenon {
namespace {

std::string type_of(DType d) {
  const int bytes = bytes_of(d);
  if (d == DType::Bool) return "|b1";
  if (d == DType::BF16) return "<V2";
  if (is_small(d)) return "|u1";
  const char kind = is_float(d) ? 'f' : is_complex(d) ? 'c' : is_signed_int(d) ? 'i' : 'u';
  return fmt::format("{}{}{}", bytes == 1 ? '|' : '<', kind, bytes);
}

}  // namespace

std::string npy_bytes(const TensorData& tensor) {
  std::string shape;
  for (const int64_t n : tensor.dims) shape += fmt::format("{}, ", n);
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type_of(tensor.dtype), shape);
  constexpr size_t magic = 10, unit = 64;  // the contents begin at a multiple of 64
  header.append(unit - (magic + header.size() + 1) % unit, ' ').push_back('\n');
  std::string out = "\x93NUMPY";
  out += '\1';
  out += '\0';
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  out.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  return out;
}

}  // namespace tenon
