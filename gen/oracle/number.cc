// Loading, storing, comparing and converting the oracle's numbers.
#include "oracle/number.h"

#include <cmath>
#include <cstring>

#include "ir/number/small_number.h"

namespace tenon {
namespace {

template <class T>
void put(TensorData& t, int64_t at, T v) {
  std::memcpy(t.bytes.data() + static_cast<size_t>(at) * sizeof(T), &v, sizeof(T));
}

/// A number of a small type has the form of the type that it computes in.
Number small_number(DType d, uint8_t code) {
  const double v = small_value(d, code);
  return is_int(dtype_row(d).compute) ? Number{static_cast<int64_t>(v)} : Number{0, v};
}

}  // namespace

Number load_number(const TensorData& t, int64_t at) {
  if (is_small(t.dtype)) return small_number(t.dtype, element<uint8_t>(t, at));
  if (t.dtype == DType::C64) return {0, element<float>(t, 2 * at), element<float>(t, 2 * at + 1)};
  if (t.dtype == DType::C128) return {0, element<double>(t, 2 * at), element<double>(t, 2 * at + 1)};
  if (is_float(t.dtype)) return {0, real_element(t, at)};
  return {int_element(t, at)};
}

void store_number(TensorData& t, int64_t at, const Number& v) {
  if (is_small(t.dtype))
    return put(
        t, at,
        small_code(t.dtype, is_int(dtype_row(t.dtype).compute) ? static_cast<double>(v.i) : static_cast<double>(v.f)));
  switch (t.dtype) {
    case DType::I8:
    case DType::U8: return put(t, at, static_cast<uint8_t>(v.i));
    case DType::Bool: return put(t, at, static_cast<uint8_t>(v.i != 0));
    case DType::I16:
    case DType::U16: return put(t, at, static_cast<uint16_t>(v.i));
    case DType::I32:
    case DType::U32: return put(t, at, static_cast<uint32_t>(v.i));
    case DType::I64:
    case DType::U64: return put(t, at, v.i);
    case DType::F16:
    case DType::BF16: return put(t, at, half_bits(t.dtype, v.f));
    case DType::F32: return put(t, at, static_cast<float>(v.f));
    case DType::F64: return put(t, at, static_cast<double>(v.f));
    case DType::C64: put(t, 2 * at, static_cast<float>(v.f)); return put(t, 2 * at + 1, static_cast<float>(v.im));
    case DType::C128: put(t, 2 * at, static_cast<double>(v.f)); return put(t, 2 * at + 1, static_cast<double>(v.im));
    default: return;
  }
}

int64_t wrapped(int64_t v, DType type) {
  const int bits = dtype_row(type).bits;
  if (bits == 64) return v;
  const auto u = static_cast<uint64_t>(v) << (64 - bits);
  return is_signed_int(type) ? static_cast<int64_t>(u) >> (64 - bits) : static_cast<int64_t>(u >> (64 - bits));
}

bool is_nan(const Number& v, DType type) {
  return (is_float(type) && std::isnan(v.f)) || (is_complex(type) && (std::isnan(v.f) || std::isnan(v.im)));
}

bool less(const Number& a, const Number& b, DType type) {
  if (is_float(type) || is_complex(type)) return a.f < b.f;
  return type == DType::U64 ? static_cast<uint64_t>(a.i) < static_cast<uint64_t>(b.i) : a.i < b.i;
}

Number convert_number(const Number& v, DType from, DType to) {
  if (is_small(from)) return from == to ? v : convert_number(v, dtype_row(from).compute, to);
  if (is_small(to)) {
    const Number n = convert_number(v, from, is_int(dtype_row(to).compute) ? dtype_row(to).compute : DType::F64);
    return small_number(
        to, small_code(to, is_int(dtype_row(to).compute) ? static_cast<double>(n.i) : static_cast<double>(n.f)));
  }
  const bool from_real = is_float(from) || is_complex(from);
  if (is_float(to) || is_complex(to)) {
    Number out;
    out.f = from_real            ? v.f
            : from == DType::U64 ? static_cast<long double>(static_cast<uint64_t>(v.i))
                                 : static_cast<long double>(v.i);
    out.im = is_complex(from) && is_complex(to) ? v.im : 0;
    if (to == DType::F32 && from == DType::F64) out.f = static_cast<float>(out.f);
    if (is_half(to)) out.f = half_value(to, half_bits(to, out.f));
    return out;
  }
  if (to == DType::Bool) return {from_real ? (v.f != 0 || v.im != 0) : v.i != 0};
  if (!from_real) return {wrapped(v.i, to)};
  if (std::isnan(v.f)) return {0};
  const int bits = dtype_row(to).bits;
  const long double hi = std::ldexp(1.0L, is_signed_int(to) ? bits - 1 : bits), lo = is_signed_int(to) ? -hi : 0.0L;
  const long double t = std::trunc(v.f);
  if (t >= hi) return {is_signed_int(to) ? static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1) : wrapped(-1, to)};
  if (t < lo) return {is_signed_int(to) ? wrapped(static_cast<int64_t>(uint64_t{1} << (bits - 1)), to) : 0};
  return {to == DType::U64 ? static_cast<int64_t>(static_cast<uint64_t>(t)) : static_cast<int64_t>(t)};
}

}  // namespace tenon
