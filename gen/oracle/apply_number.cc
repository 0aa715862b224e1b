// The rows of the scalar table on the oracle's numbers: libm in long double, integers exactly.
#include <cmath>
#include <complex>
#include <cstring>

#include "ir/number/small_number.h"
#include "oracle/number.h"
#include "oracle/special_functions.h"
#include "support/check.h"

namespace tenon {
namespace {

using Complex = std::complex<long double>;
Complex as_complex(const Number& v) { return {v.f, v.im}; }
Number number(const Complex& c) { return {0, c.real(), c.imag()}; }

/// Multiplication by the textbook formula: generated code has no special cases for infinities.
Complex times(const Complex& a, const Complex& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

Number apply_complex(ScalarOp op, const Number* a) {
  const Complex x = as_complex(a[0]);
  switch (op) {
    case ScalarOp::Add: return number(x + as_complex(a[1]));
    case ScalarOp::Sub: return number(x - as_complex(a[1]));
    case ScalarOp::Mul: return number(times(x, as_complex(a[1])));
    case ScalarOp::Div: return number(x / as_complex(a[1]));
    case ScalarOp::Neg: return number(-x);
    case ScalarOp::Sq: return number(times(x, x));
    case ScalarOp::Abs: return {0, std::abs(x)};
    case ScalarOp::Real: return {0, x.real()};
    case ScalarOp::Imag: return {0, x.imag()};
    case ScalarOp::Conj: return number(std::conj(x));
    case ScalarOp::Arg: return {0, std::arg(x)};
    case ScalarOp::Eq: return {x == as_complex(a[1])};
    case ScalarOp::Ne: return {x != as_complex(a[1])};
    case ScalarOp::Exp: return number(std::exp(x));
    case ScalarOp::Sqrt: return number(std::sqrt(x));
    default: break;
  }
  TENON_UNREACHABLE("{} of complex numbers", scalar_op_row(op).name);
}

int64_t power(int64_t base, int64_t exponent, bool is_unsigned) {
  if (exponent < 0 && !is_unsigned) return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  uint64_t r = 1, b = static_cast<uint64_t>(base);
  for (uint64_t n = static_cast<uint64_t>(exponent); n; n >>= 1, b *= b)
    if (n & 1) r *= b;
  return static_cast<int64_t>(r);
}

int64_t floor_divide(int64_t a, int64_t b, bool is_unsigned) {
  if (b == 0) return 0;
  if (is_unsigned) return static_cast<int64_t>(static_cast<uint64_t>(a) / static_cast<uint64_t>(b));
  if (b == -1) return static_cast<int64_t>(-static_cast<uint64_t>(a));
  const int64_t q = a / b;
  return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}

int64_t shift(int64_t a, int64_t n, DType type, bool left) {
  const int bits = dtype_row(type).bits;
  if (n < 0 || n >= bits) return !left && is_signed_int(type) && a < 0 ? -1 : 0;
  if (left) return static_cast<int64_t>(static_cast<uint64_t>(a) << n);
  return is_signed_int(type) ? a >> n : static_cast<int64_t>(static_cast<uint64_t>(a) >> n);
}

int64_t leading_zeros(int64_t a, DType type) {
  const int bits = dtype_row(type).bits;
  const uint64_t u = static_cast<uint64_t>(a) << (64 - bits);
  return u ? __builtin_clzll(u) : bits;
}

/// The sum of products of the halves of two words of the type, plus c; all wraps.
int64_t halves_dot(int64_t a, int64_t b, int64_t c, DType type) {
  const int half = dtype_row(type).bits / 2, up = 64 - half;
  const auto low = [&](int64_t v) { return static_cast<int64_t>(static_cast<uint64_t>(v) << up) >> up; };
  const auto high = [&](int64_t v) { return low(static_cast<int64_t>(static_cast<uint64_t>(v) >> half)); };
  const auto product = [](int64_t x, int64_t y) { return static_cast<uint64_t>(x) * static_cast<uint64_t>(y); };
  return static_cast<int64_t>(product(low(a), low(b)) + product(high(a), high(b)) + static_cast<uint64_t>(c));
}

/// The sum of products of the quarters of two words of the type, plus c; all wraps.
int64_t quarters_dot(const Number* args, DType type, bool unsigned_first) {
  const int bits = dtype_row(type).bits / 4, up = 64 - bits;
  uint64_t sum = static_cast<uint64_t>(args[2].i);
  for (int k = 0; k < 4; ++k) {
    const uint64_t a = static_cast<uint64_t>(args[0].i) >> (k * bits) << up,
                   b = static_cast<uint64_t>(args[1].i) >> (k * bits) << up;
    const uint64_t first = unsigned_first ? a >> up : static_cast<uint64_t>(static_cast<int64_t>(a) >> up);
    sum += first * static_cast<uint64_t>(static_cast<int64_t>(b) >> up);
  }
  return static_cast<int64_t>(sum);
}

int64_t apply_integer(ScalarOp op, const Number* args, DType type) {
  const int64_t a = args[0].i, b = scalar_op_row(op).arity > 1 ? args[1].i : 0;
  const bool u = !is_signed_int(type);
  const auto add = [](int64_t x, int64_t y) {
    return static_cast<int64_t>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y));
  };
  const auto mul = [](int64_t x, int64_t y) {
    return static_cast<int64_t>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
  };
  const auto neg = [](int64_t x) { return static_cast<int64_t>(-static_cast<uint64_t>(x)); };
  switch (op) {
    case ScalarOp::Add: return add(a, b);
    case ScalarOp::Sub: return add(a, neg(b));
    case ScalarOp::Mul: return mul(a, b);
    case ScalarOp::Fma: return add(mul(a, b), args[2].i);
    case ScalarOp::FloorDiv: return floor_divide(a, b, u);
    case ScalarOp::Mod: return add(a, neg(mul(floor_divide(a, b, u), b)));
    case ScalarOp::Neg: return neg(a);
    case ScalarOp::Abs: return !u && a < 0 ? neg(a) : a;
    case ScalarOp::Sign: return a == 0 ? 0 : !u && a < 0 ? -1 : 1;
    case ScalarOp::Sq: return mul(a, a);
    case ScalarOp::Pow: return power(a, b, u);
    case ScalarOp::Min: return less(args[1], args[0], type) ? b : a;
    case ScalarOp::Max: return less(args[0], args[1], type) ? b : a;
    case ScalarOp::And:
    case ScalarOp::BitAnd: return a & b;
    case ScalarOp::Or:
    case ScalarOp::BitOr: return a | b;
    case ScalarOp::BitXor: return a ^ b;
    case ScalarOp::BitNot: return ~a;
    case ScalarOp::Not: return a == 0;
    case ScalarOp::Shl: return shift(a, b, type, true);
    case ScalarOp::Shr: return shift(a, b, type, false);
    case ScalarOp::Popcount: return __builtin_popcountll(static_cast<uint64_t>(a) << (64 - dtype_row(type).bits));
    case ScalarOp::Dot2: return halves_dot(a, b, args[2].i, type);
    case ScalarOp::Dot4: return quarters_dot(args, type, false);
    case ScalarOp::Dot4Unsigned: return quarters_dot(args, type, true);
    case ScalarOp::Clz: return leading_zeros(a, type);
    case ScalarOp::Real: return a;
    default: break;
  }
  TENON_UNREACHABLE("{} of integers", scalar_op_row(op).name);
}

bool compare(ScalarOp op, const Number* a, DType type, bool& known) {
  const bool nan = is_nan(a[0], type) || (scalar_op_row(op).arity > 1 && is_nan(a[1], type));
  const bool real = is_float(type);
  switch (op) {
    case ScalarOp::Lt: return !nan && less(a[0], a[1], type);
    case ScalarOp::Le: return !nan && !less(a[1], a[0], type);
    case ScalarOp::Gt: return !nan && less(a[1], a[0], type);
    case ScalarOp::Ge: return !nan && !less(a[0], a[1], type);
    case ScalarOp::Eq: return real ? a[0].f == a[1].f : a[0].i == a[1].i;
    case ScalarOp::Ne: return real ? a[0].f != a[1].f : a[0].i != a[1].i;
    case ScalarOp::IsNan: return nan;
    case ScalarOp::IsInf: return real && std::isinf(a[0].f);
    case ScalarOp::IsFinite: return !real || std::isfinite(a[0].f);
    default: known = false; return false;
  }
}

}  // namespace

namespace {

/// The same bits as another type of the same width.
Number bits_number(const Number& a, DType in, DType out) {
  int64_t bits = a.i;
  if (in == DType::F32) {
    const float f = static_cast<float>(a.f);
    uint32_t u = 0;
    std::memcpy(&u, &f, sizeof u);
    bits = u;
  } else if (in == DType::F64) {
    const double d = static_cast<double>(a.f);
    std::memcpy(&bits, &d, sizeof bits);
  } else if (is_float(in)) {
    bits = half_bits(in, a.f);
  }
  if (is_half(out)) return {0, half_value(out, static_cast<uint16_t>(bits))};
  if (out == DType::F32) {
    const uint32_t u = static_cast<uint32_t>(bits);
    float f = 0;
    std::memcpy(&f, &u, sizeof f);
    return {0, f};
  }
  if (out == DType::F64) {
    double d = 0;
    std::memcpy(&d, &bits, sizeof d);
    return {0, d};
  }
  return {wrapped(bits, out)};
}

}  // namespace

Number apply_number(ScalarOp op, const Number* a, DType in, DType out) {
  if (op == ScalarOp::Cast) return convert_number(a[0], in, out);
  if (op == ScalarOp::Bits) return bits_number(a[0], in, out);
  if (op == ScalarOp::Complex) return {0, a[0].f, a[1].f};
  if (op == ScalarOp::Philox)
    return {
        static_cast<int64_t>(philox_word(static_cast<uint64_t>(a[0].i), static_cast<uint64_t>(a[1].i), a[2].i, out))};
  if (op == ScalarOp::U01)
    return {0, in == DType::U64
                   ? (static_cast<long double>(static_cast<uint64_t>(a[0].i) >> 12) + 0.5L) * std::ldexp(1.0L, -52)
                   : (static_cast<long double>(static_cast<uint32_t>(a[0].i) >> 9) + 0.5L) * std::ldexp(1.0L, -23)};
  if (is_complex(in)) return apply_complex(op, a);
  bool comparison = true;
  const bool holds = compare(op, a, in, comparison);
  if (comparison) return {holds};
  if (is_float(in)) return {0, apply_real(op, a)};
  return {wrapped(apply_integer(op, a, in), out)};
}

}  // namespace tenon
