// Spelling of numbers.
#include <fmt/format.h>

#include <cmath>

#include "emit/emitter.h"
#include "ir/number/small_number.h"

namespace tenon::emit {
namespace {

uint8_t code_of(const VConst& c, DType small) {
  return small_code(small, holds_reals(small) ? c.f : static_cast<double>(c.i));
}

/// Large unsigned numbers are patterns of bits.
std::string unsigned_digits(uint64_t v) { return v < 65536 ? fmt::format("{}", v) : fmt::format("0x{:x}", v); }

std::string integer_literal(int64_t v, DType d) {
  switch (d) {
    case DType::I32: return v == INT32_MIN ? "INT32_MIN" : fmt::format("{}", v);
    case DType::I64: return v == INT64_MIN ? "INT64_MIN" : fmt::format("INT64_C({})", v);
    case DType::U32: return unsigned_digits(static_cast<uint32_t>(v)) + "u";
    case DType::U64: return fmt::format("UINT64_C({})", unsigned_digits(static_cast<uint64_t>(v)));
    case DType::U16: return fmt::format("{}", static_cast<uint16_t>(v));
    case DType::U8: return fmt::format("{}", static_cast<uint8_t>(v));
    default: return fmt::format("{}", v);
  }
}

CExpr float_literal(Emitter& e, double v, DType d) {
  const bool f32 = d == DType::F32;
  if (std::isfinite(v)) {
    std::string s = f32 ? fmt::format("{}", static_cast<float>(v)) : fmt::format("{}", v);
    if (s.find_first_of(".e") == std::string::npos) s += ".0";
    return c_text(f32 ? s + "f" : s);
  }
  if (!e.portable()) {
    const char* suffix = f32 ? "f" : "";
    if (std::isnan(v)) return c_text(fmt::format("__builtin_nan{}(\"\")", suffix));
    return c_text(fmt::format("{}__builtin_inf{}()", v < 0 ? "-" : "", suffix));
  }
  const CExpr made = call_scalar_piece(e, std::isnan(v) ? "nan" : "infinity", f32 ? DType::F32 : DType::F64, {});
  return v < 0 ? c_unary("-", made) : made;
}

}  // namespace

CExpr literal(Emitter& e, const VConst& c, const OperandType& t) {
  const OperandType scalar{t.dtype, 1, 0};
  if (t.lanes > 1 && t.dtype == DType::Bool && c.i != 0)
    return c_braces(e.c_type(t), std::vector<CExpr>(static_cast<size_t>(t.lanes), c_text("-1")));
  if (t.lanes > 1) {
    const bool zero = is_small(t.dtype)      ? code_of(c, t.dtype) == 0
                      : is_integral(t.dtype) ? c.i == 0
                                             : c.f == 0 && !std::signbit(c.f);
    return zero ? c_braces(e.c_type(t), {c_text("0")}) : splat_value(e, literal(e, c, scalar), t);
  }
  switch (t.dtype) {
    case DType::F32:
    case DType::F64: return float_literal(e, c.f, t.dtype);
    case DType::F16:
    case DType::BF16: return c_text(fmt::format("0x{:04x}", half_bits(t.dtype, c.f)));
    case DType::C64: return c_braces(e.c_type(t), {float_literal(e, c.f, DType::F32), c_text("0.0f")});
    case DType::C128: return c_braces(e.c_type(t), {float_literal(e, c.f, DType::F64), c_text("0.0")});
    case DType::Bool: return c_text(c.i != 0 ? "1" : "0");
    default:
      return c_text(is_small(t.dtype) ? fmt::format("0x{:02x}", code_of(c, t.dtype)) : integer_literal(c.i, t.dtype));
  }
}

}  // namespace tenon::emit
