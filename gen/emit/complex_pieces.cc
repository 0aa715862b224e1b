// Small functions over complex numbers: structs of two reals.
#include "emit/scalar_piece_rows.h"

namespace tenon::emit {
namespace {

constexpr ScalarPieceRow kComplexRows[] = {
    {"add", "c", "$T", "$T a, $T b", R"(  return ($T){a.re + b.re, a.im + b.im};
)"},
    {"sub", "c", "$T", "$T a, $T b", R"(  return ($T){a.re - b.re, a.im - b.im};
)"},
    {"mul", "c", "$T", "$T a, $T b", R"(  return ($T){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
)"},
    // Smith's method: divides by the larger part first, so that squares do not overflow.
    {"div", "c", "$T", "$T a, $T b", R"(  if ($(abs:real)(b.re) >= $(abs:real)(b.im)) {
    const $R q = b.im / b.re;
    const $R n = b.re + b.im * q;
    return ($T){(a.re + a.im * q) / n, (a.im - a.re * q) / n};
  }
  const $R q = b.re / b.im;
  const $R n = b.re * q + b.im;
  return ($T){(a.re * q + a.im) / n, (a.im * q - a.re) / n};
)"},
    {"neg", "c", "$T", "$T a", R"(  return ($T){-a.re, -a.im};
)"},
    {"conj", "c", "$T", "$T a", R"(  return ($T){a.re, -a.im};
)"},
    {"eq", "c", "int", "$T a, $T b", R"(  return a.re == b.re && a.im == b.im;
)"},
    {"ne", "c", "int", "$T a, $T b", R"(  return a.re != b.re || a.im != b.im;
)"},
    // Scaled by the larger part: neither overflows nor loses small numbers.
    {"abs", "c", "$R", "$T a", R"(  const $R x = $(abs:real)(a.re);
  const $R y = $(abs:real)(a.im);
  const $R large = x > y || x != x ? x : y;
  const $R small = x > y || x != x ? y : x;
  if ($(isinf:real)(x)) return x;
  if ($(isinf:real)(y)) return y;
  if (large == 0) return large;
  const $R q = small / large;
  return large * $(sqrt:real)(1 + q * q);
)"},
    {"sign", "c", "$T", "$T a", R"(  const $R n = $(abs)(a);
  if (n == 0) return a;
  return ($T){a.re / n, a.im / n};
)"},
    {"isnan", "c", "int", "$T a", R"(  return a.re != a.re || a.im != a.im;
)"},
    {"isinf", "c", "int", "$T a", R"(  return $(isinf:real)(a.re) || $(isinf:real)(a.im);
)"},
    {"isfinite", "c", "int", "$T a", R"(  return $(isfinite:real)(a.re) && $(isfinite:real)(a.im);
)"},
    {"sqrt", "c", "$T", "$T a", R"(  const $R n = $(abs)(a);
  if (n == 0) return ($T){0, a.im};
  const $R x = $(abs:real)(a.re);
  const $R t = $(sqrt:real)((n + x) / 2);
  const $R s = $(abs:real)(a.im) / (2 * t);
  return a.re >= 0 ? ($T){t, $(copysign:real)(s, a.im)} : ($T){s, $(copysign:real)(t, a.im)};
)"},
};

}  // namespace

std::span<const ScalarPieceRow> complex_piece_rows() { return kComplexRows; }

}  // namespace tenon::emit
