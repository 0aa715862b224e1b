// Operations on the values of the interpreter of loop nests.
#include <cmath>

#include "ir/kernel/expr.h"
#include "ir/number/small_number.h"
#include "nest/run_nest.h"
#include "oracle/number.h"

namespace tenon {
namespace {

/// What a + b loses to rounding, by Knuth's sum of two.
template <class T>
Number sum_error(const Number& a, const Number& b) {
  const T x = static_cast<T>(a.f), y = static_cast<T>(b.f);
  const volatile T s = x + y, y2 = s - x, x2 = s - y2;
  const volatile T dx = x - x2, dy = y - y2;
  return std::isfinite(s) ? Number{0, static_cast<long double>(dx + dy)} : Number{};
}

/// The bytes of the lanes one after the other, read as lanes of another type.
NestValue reinterpret(const NestValue& v, OperandType type) {
  TensorData bytes{v.type.dtype, {}, {}};
  bytes.bytes.resize(v.lanes.size() * static_cast<size_t>(bytes_of(v.type.dtype)));
  for (size_t k = 0; k < v.lanes.size(); ++k) store_number(bytes, static_cast<int64_t>(k), v.lanes[k]);
  bytes.dtype = type.dtype;
  NestValue out{type, {}};
  for (int k = 0; k < type.lanes; ++k) out.lanes.push_back(load_number(bytes, k));
  return out;
}

}  // namespace

Number rounded_to(const Number& v, DType type) {
  switch (type) {
    case DType::F16:
    case DType::BF16: return {0, half_value(type, half_bits(type, v.f))};
    case DType::F32: return {0, static_cast<float>(v.f)};
    case DType::F64: return {0, static_cast<double>(v.f)};
    case DType::C64: return {0, static_cast<float>(v.f), static_cast<float>(v.im)};
    case DType::C128: return {0, static_cast<double>(v.f), static_cast<double>(v.im)};
    default: return v;
  }
}

NestValue apply_lanes(ScalarOp op, const std::vector<NestValue>& args, OperandType type) {
  if (op == ScalarOp::Bits) return reinterpret(args[0], type);
  NestValue out{type, {}};
  out.lanes.reserve(static_cast<size_t>(type.lanes));
  const DType in = args[0].type.dtype;
  for (size_t k = 0; k < static_cast<size_t>(type.lanes); ++k) {
    Number a[3];
    const bool words = op == ScalarOp::Philox && args[0].type.lanes == 1;
    for (size_t i = 0; i < args.size(); ++i) a[i] = args[i].lanes[words ? 0 : k];
    if (words && type.lanes > 1) a[1].i += static_cast<int64_t>(k / 4), a[2].i = static_cast<int64_t>(k % 4);
    if (op == ScalarOp::SumError)
      out.lanes.push_back(in == DType::F32 ? sum_error<float>(a[0], a[1]) : sum_error<double>(a[0], a[1]));
    else out.lanes.push_back(rounded_to(apply_number(op, a, in, type.dtype), type.dtype));
  }
  return out;
}

NestValue fold_lanes(Reducer op, const NestValue& v) {
  std::vector<Number> now = v.lanes;
  const DType type = v.type.dtype;
  while (now.size() > 1) {
    const size_t half = now.size() / 2;
    for (size_t k = 0; k < half; ++k) {
      const Number both[2] = {now[k], now[k + half]};
      now[k] = rounded_to(apply_number(step_of(op), both, type, type), type);
    }
    now.resize(half);
  }
  return {{type, 1, 0}, std::move(now)};
}

}  // namespace tenon
