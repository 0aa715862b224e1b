// Small functions over complex numbers: structs of two reals.
#include "emit/scalar_piece_rows.h"

namespace tenon::emit {
namespace {

constexpr ScalarPieceRow kComplexRows[] = {
    {"add", "cz", "$T", {"$T a", "$T b"}, R"(  return ($T){a.re + b.re, a.im + b.im};
)"},
    {"sub", "cz", "$T", {"$T a", "$T b"}, R"(  return ($T){a.re - b.re, a.im - b.im};
)"},
    {"mul", "cz", "$T", {"$T a", "$T b"}, R"(  return ($T){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
)"},
    // Annex G of the C standard: a number divided by 0 is infinite, divided by infinity it is 0. Products of floats are
    // exact in double, and no sum of two of them leaves its range.
    {"div", "c", "$T", {"$T a", "$T b"}, R"(  const double x = (double)b.re;
  const double y = (double)b.im;
  const double p = (double)a.re;
  const double q = (double)a.im;
  const double n = x * x + y * y;
  if (n == 0) {
    return ($T){a.re / $(abs:real)(b.re), a.im / $(abs:real)(b.re)};
  }
  if ($(isinf:f64)(n)) {
    return $(div_inf)(a, b);
  }
  return ($T){(float)((p * x + q * y) / n), (float)((q * x - p * y) / n)};
)"},
    // Smith's method on operands scaled so that their larger parts are about 1: no intermediate result overflows.
    {"div", "z", "$T", {"$T a", "$T b"}, R"(  const double s = $(one_over:f64)($(larger)(b));
  const double t = $(one_over:f64)($(larger)(a));
  const double x = b.re * s;
  const double y = b.im * s;
  const double p = a.re * t;
  const double q = a.im * t;
  if (x == 0 && y == 0) {
    return ($T){a.re / $(abs:f64)(x), a.im / $(abs:f64)(x)};
  }
  if ($(isinf)(b)) {
    return $(div_inf)(a, b);
  }
  const int wide = $(abs:f64)(x) >= $(abs:f64)(y);
  const double r = wide ? y / x : x / y;
  const double n = wide ? x + y * r : x * r + y;
  const double re = (wide ? p + q * r : p * r + q) / n;
  const double im = (wide ? q - p * r : q * r - p) / n;
  const double u = s / t;
  if (u > 1e-290 && u < 1e290) {
    return ($T){re * u, im * u};
  }
  return ($T){re * s / t, im * s / t};
)"},
    {"div_inf", "cz", "$T", {"$T a", "$T b"}, R"(  const $R x = $(copysign:real)($(isinf:real)(b.re) ? 1 : 0, b.re);
  const $R y = $(copysign:real)($(isinf:real)(b.im) ? 1 : 0, b.im);
  return ($T){0 * (a.re * x + a.im * y), 0 * (a.im * x - a.re * y)};
)"},
    {"larger", "z", "double", {"$T a"}, R"(  const double x = $(abs:f64)(a.re);
  const double y = $(abs:f64)(a.im);
  return x > y ? x : y;
)"},
    {"neg", "cz", "$T", {"$T a"}, R"(  return ($T){-a.re, -a.im};
)"},
    {"conj", "cz", "$T", {"$T a"}, R"(  return ($T){a.re, -a.im};
)"},
    {"eq", "cz", "int", {"$T a", "$T b"}, R"(  return a.re == b.re && a.im == b.im;
)"},
    {"ne", "cz", "int", {"$T a", "$T b"}, R"(  return a.re != b.re || a.im != b.im;
)"},
    // Scaled by the larger part: neither overflows nor loses small numbers.
    {"abs", "cz", "$R", {"$T a"}, R"(  const $R x = $(abs:real)(a.re);
  const $R y = $(abs:real)(a.im);
  const $R large = x > y || x != x ? x : y;
  const $R small = x > y || x != x ? y : x;
  if ($(isinf:real)(x)) {
    return x;
  }
  if ($(isinf:real)(y)) {
    return y;
  }
  if (large == 0) {
    return large;
  }
  const $R q = small / large;
  return large * $(sqrt:real)(1 + q * q);
)"},
    {"isnan", "cz", "int", {"$T a"}, R"(  return a.re != a.re || a.im != a.im;
)"},
    {"isinf", "cz", "int", {"$T a"}, R"(  return $(isinf:real)(a.re) || $(isinf:real)(a.im);
)"},
    {"isfinite", "cz", "int", {"$T a"}, R"(  return $(isfinite:real)(a.re) && $(isfinite:real)(a.im);
)"},
    {"sqrt", "c", "$T", {"$T a"}, R"(  const double x = (double)a.re;
  const double y = (double)a.im;
  if (x == 0 && y == 0) {
    return ($T){0, a.im};
  }
  if ($(isinf:real)(a.im)) {
    return ($T){$(abs:real)(a.im), a.im};
  }
  const double t = $(sqrt:f64)(($(sqrt:f64)(x * x + y * y) + $(abs:f64)(x)) / 2);
  const float larger = (float)t;
  const float other = (float)($(abs:f64)(y) / (2 * t));
  return x >= 0 ? ($T){larger, $(copysign:real)(other, a.im)} : ($T){other, $(copysign:real)(larger, a.im)};
)"},
    // Scaled by a power of 4 where the sum or its half would leave the range.
    {"sqrt", "z", "$T", {"$T a"}, R"(  const double large = $(larger)(a);
  if (large == 0) {
    return ($T){0, a.im};
  }
  if ($(isinf:f64)(a.im)) {
    return ($T){$(abs:f64)(a.im), a.im};
  }
  const double s = large > 1e300 ? 0.0625 : large < 1e-290 ? 1.329227995784916e36 : 1;
  const double back = large > 1e300 ? 4 : large < 1e-290 ? 8.673617379884035e-19 : 1;
  const $T b = {a.re * s, a.im * s};
  const double x = $(abs:f64)(b.re);
  const double t = $(sqrt:f64)(($(abs)(b) + x) / 2);
  const double larger = t * back;
  const double other = $(abs:f64)(b.im) / (2 * t) * back;
  return a.re >= 0 ? ($T){larger, $(copysign:f64)(other, a.im)} : ($T){other, $(copysign:f64)(larger, a.im)};
)"},
};

}  // namespace

std::span<const ScalarPieceRow> complex_piece_rows() { return kComplexRows; }

}  // namespace tenon::emit
