// Real functions of the oracle in long double, and Philox 4x32-10.
#include "oracle/special_functions.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "support/check.h"

namespace tenon {
namespace {

constexpr long double kPi = std::numbers::pi_v<long double>;

/// sin(pi x) and cos(pi x) with the argument reduced exactly.
long double sin_pi(long double x) { return std::isfinite(x) ? std::sin(kPi * std::remainder(x, 2.0L)) : x - x; }
long double cos_pi(long double x) { return std::isfinite(x) ? std::cos(kPi * std::remainder(x, 2.0L)) : x - x; }

/// Derivative of lgamma: reflection below 1/2, recurrence up to 20, then the asymptotic series.
long double digamma(long double x) {
  if (x == 0) return std::copysign(std::numeric_limits<long double>::infinity(), -x);
  if (x < 0 && x == std::floor(x)) return std::numeric_limits<long double>::quiet_NaN();
  if (x < 0.5L) return digamma(1 - x) - kPi * cos_pi(x) / sin_pi(x);
  long double shift = 0;
  for (; x < 20; x += 1) shift -= 1 / x;
  const long double r = 1 / (x * x);
  const long double series =
      r * (1.0L / 12 -
           r * (1.0L / 120 - r * (1.0L / 252 - r * (1.0L / 240 - r * (1.0L / 132 - r * (691.0L / 32760 - r / 12))))));
  return shift + std::log(x) - 0.5L / x - series;
}

/// Inverse of erf: Newton steps on erf, or on erfc near the ends.
long double erfinv(long double y) {
  if (std::isnan(y) || std::fabs(y) > 1) return std::numeric_limits<long double>::quiet_NaN();
  if (std::fabs(y) == 1) return std::copysign(std::numeric_limits<long double>::infinity(), y);
  const long double w = std::log((1 - y) * (1 + y)), t = 2 / (kPi * 0.147L) + w / 2;  // initial value, accurate to 2e-3
  long double x = std::copysign(std::sqrt(std::fmax(0.0L, std::sqrt(t * t - w / 0.147L) - t)), y);
  for (int i = 0; i < 60; ++i) {
    const long double error = y > 0.5L ? (1 - y) - std::erfc(x) : y < -0.5L ? std::erfc(-x) - (1 + y) : std::erf(x) - y;
    const long double slope = 2 / std::sqrt(kPi) * std::exp(-x * x);
    const long double step = error / slope;
    const long double next = x - step / (1 + x * step);
    if (next == x) break;
    x = next;
  }
  return x;
}

long double maximum(long double a, long double b) { return std::isnan(a) || std::isnan(b) ? a + b : a < b ? b : a; }
long double minimum(long double a, long double b) { return std::isnan(a) || std::isnan(b) ? a + b : b < a ? b : a; }

/// Exact, with the sign of the divisor, also for 0.
long double floored_remainder(long double a, long double b) {
  const long double r = std::fmod(a, b);
  if (r == 0) return std::copysign(r, b);
  return (r < 0) != (b < 0) ? r + b : r;
}

/// fma(a, b, c). The function of long double sets rounding modes, which takes most of the time of an interpreted
/// product on some processors; the product of two floats is exact without it.
long double multiply_add(long double a, long double b, long double c) {
  const bool exact = static_cast<float>(a) == a && static_cast<float>(b) == b;
  return exact ? a * b + c : std::fma(a, b, c);
}

}  // namespace

long double apply_real(ScalarOp op, const Number* v) {
  const long double a = v[0].f, b = scalar_op_row(op).arity > 1 ? v[1].f : 0;
  switch (op) {
    case ScalarOp::Add: return a + b;
    case ScalarOp::Sub: return a - b;
    case ScalarOp::Mul: return a * b;
    case ScalarOp::Div: return a / b;
    case ScalarOp::FloorDiv: return std::floor(a / b);
    case ScalarOp::Mod: return floored_remainder(a, b);
    case ScalarOp::Neg: return -a;
    case ScalarOp::Abs: return std::fabs(a);
    case ScalarOp::Sign: return std::isnan(a) ? a : a > 0 ? 1 : a < 0 ? -1 : a;
    case ScalarOp::Sq: return a * a;
    case ScalarOp::Min: return minimum(a, b);
    case ScalarOp::Max: return maximum(a, b);
    case ScalarOp::Fma: return multiply_add(a, b, v[2].f);
    case ScalarOp::Sqrt: return std::sqrt(a);
    case ScalarOp::Rsqrt: return 1 / std::sqrt(a);
    case ScalarOp::Cbrt: return std::cbrt(a);
    case ScalarOp::Exp:
    case ScalarOp::ExpBounded: return std::exp(a);
    case ScalarOp::Exp2: return std::exp2(a);
    case ScalarOp::Scale2:
    case ScalarOp::Scale2Down: return a * std::exp2(b);
    case ScalarOp::Scale2Sum: return (1 + a) * std::exp2(b - (b < 0x1p24L ? 12583166.0L : 6755399441057790.0L));
    case ScalarOp::Scale2DownSum: return (1 + a) * std::exp2(b - (b < 0x1p24L ? 12583103.0L : 6755399441056895.0L));
    case ScalarOp::SumError: return 0;
    case ScalarOp::Expm1: return std::expm1(a);
    case ScalarOp::Sigmoid: return 1 / (1 + std::exp(-a));
    case ScalarOp::Log: return std::log(a);
    case ScalarOp::Log2: return std::log2(a);
    case ScalarOp::Log10: return std::log10(a);
    case ScalarOp::Log1p: return std::log1p(a);
    case ScalarOp::Sin: return std::sin(a);
    case ScalarOp::Cos: return std::cos(a);
    case ScalarOp::Tan: return std::tan(a);
    case ScalarOp::Asin: return std::asin(a);
    case ScalarOp::Acos: return std::acos(a);
    case ScalarOp::Atan: return std::atan(a);
    case ScalarOp::Atan2: return std::atan2(a, b);
    case ScalarOp::Sinh: return std::sinh(a);
    case ScalarOp::Cosh: return std::cosh(a);
    case ScalarOp::Tanh: return std::tanh(a);
    case ScalarOp::Asinh: return std::asinh(a);
    case ScalarOp::Acosh: return std::acosh(a);
    case ScalarOp::Atanh: return std::atanh(a);
    case ScalarOp::Sinpi: return sin_pi(a);
    case ScalarOp::Cospi: return cos_pi(a);
    case ScalarOp::Erf:
    case ScalarOp::ErfFast: return std::erf(a);
    case ScalarOp::Erfc: return std::erfc(a);
    case ScalarOp::MulExp:
    case ScalarOp::TimesExp: return std::isinf(b) && b < 0 ? std::copysign(0.0L, a) : a * std::exp(b);
    case ScalarOp::Normcdf: return 0.5L * std::erfc(-a * 0.70710678118654752440084436210484903928L);
    case ScalarOp::Erfinv: return erfinv(a);
    case ScalarOp::Lgamma: return std::lgamma(a);
    case ScalarOp::Digamma: return digamma(a);
    case ScalarOp::Pow: return std::pow(a, b);
    case ScalarOp::Floor: return std::floor(a);
    case ScalarOp::Ceil: return std::ceil(a);
    case ScalarOp::Round: return std::nearbyint(a);
    case ScalarOp::Trunc: return std::trunc(a);
    case ScalarOp::Fmod: return std::fmod(a, b);
    case ScalarOp::Copysign: return std::copysign(a, b);
    case ScalarOp::Nextafter: return std::nextafter(static_cast<double>(a), static_cast<double>(b));
    case ScalarOp::Real:
    case ScalarOp::Conj: return a;
    case ScalarOp::Imag: return 0;
    case ScalarOp::Arg: return std::signbit(a) ? kPi : 0;
    default: break;
  }
  TENON_UNREACHABLE("{} of real numbers", scalar_op_row(op).name);
}

uint64_t philox_word(uint64_t seed, uint64_t counter, int64_t word, DType type) {
  std::array<uint32_t, 4> c = {static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32), 0, 0};
  uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53} * c[0], p1 = uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(p0)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  const uint64_t low = c[static_cast<size_t>(word & 3)];
  return type == DType::U64 ? low | static_cast<uint64_t>(c[static_cast<size_t>((word + 1) & 3)]) << 32 : low;
}

}  // namespace tenon
