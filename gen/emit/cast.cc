// Conversions between element types. Floats saturate to integers and NaN gives 0, integers wrap, half floats round to
// nearest even.
#include <fmt/format.h>

#include <cmath>

#include "emit/emitter.h"
#include "support/check.h"

namespace tenon::emit {
namespace {

std::string piece_to(DType to, std::string_view from) { return fmt::format("{}_of_{}", name_of(to), from); }

/// `from` as an f32 that rounds to a narrower type as `from` itself would.
CExpr f32_before_rounding(Emitter& e, const Operand& from) {
  const DType d = from->type.dtype;
  if (d == DType::F32) return e.operand(from);
  if (d == DType::Bool || (is_int(d) && bits_of(d) <= 16)) return cast_value(e, {DType::F32, 1, 0}, from);
  if (d == DType::I64 || d == DType::U64) return call_scalar_piece(e, "f32_odd_of_int", d, {e.operand(from)});
  return call_scalar_piece(e, "f32_odd_of_f64", DType::F64, {cast_value(e, {DType::F64, 1, 0}, from)});
}

CExpr cast_half_scalar(Emitter& e, DType to, const Operand& from) {
  const DType d = from->type.dtype;
  if (is_half(d)) {
    const IsaRow* row = d == DType::F16 ? e.isa.row("cvt_f16_f32", d, 1) : nullptr;
    return row ? c_row(row->spelling, {e.operand(from)})
               : call_scalar_piece(e, piece_to(DType::F32, name_of(d)), DType::U16, {e.operand(from)});
  }
  const CExpr f32 = f32_before_rounding(e, from);
  if (const IsaRow* row = to == DType::F16 ? e.isa.row("cvt_f32_f16", DType::F32, 1) : nullptr)
    return c_row(row->spelling, {f32});
  return call_scalar_piece(e, piece_to(to, "f32"), DType::F32, {f32});
}

/// Small types meet all others in the type that they compute in.
CExpr cast_small_scalar(Emitter& e, DType to, const Operand& from) {
  const DType d = from->type.dtype;
  if (is_small(d)) {
    const DType compute = dtype_row(d).compute;
    if (to != compute) return cast_value(e, {to, 1, 0}, v_cast(from, compute));
    return call_scalar_piece(e, piece_to(compute, name_of(d)), DType::U8, {e.operand(from)});
  }
  const DType compute = dtype_row(to).compute;
  const CExpr v = compute == DType::F32 ? f32_before_rounding(e, from) : cast_value(e, {compute, 1, 0}, from);
  return call_scalar_piece(e, piece_to(to, name_of(compute)), compute, {v});
}

CExpr cast_complex(Emitter& e, DType to, const Operand& from) {
  const DType d = from->type.dtype;
  const OperandType t{to, 1, 0}, real{real_of(to), 1, 0};
  if (!is_complex(d)) return c_braces(e.c_type(t), {cast_value(e, real, from), literal(e, VConst{}, real)});
  const CExpr v = e.operand(from);
  const auto parts = [&](const CExpr& x, Emitter& in) {
    if (to == DType::Bool)
      return c_binary(c_binary(c_member(x, "re"), "!=", c_text("0")), "||",
                      c_binary(c_member(x, "im"), "!=", c_text("0")));
    return c_braces(in.c_type(t),
                    {c_cast(in.c_type(real), c_member(x, "re")), c_cast(in.c_type(real), c_member(x, "im"))});
  };
  if (to == DType::Bool || is_complex(to)) {
    const std::string name = piece_to(to, "complex");
    return call_piece(e, Piece{name, from->type, t, {from->type}}, {v},
                      [&](Emitter& in, CBlock& body) { body.push_back(c_return(parts(c_text("a"), in))); });
  }
  const DType r = real_of(d);
  return call_piece(e, Piece{"real_part", from->type, {r, 1, 0}, {from->type}}, {v},
                    [&](Emitter&, CBlock& body) { body.push_back(c_return(c_member(c_text("a"), "re"))); });
}

CExpr cast_scalar(Emitter& e, DType to, const Operand& from) {
  const DType d = from->type.dtype;
  const auto* back = std::get_if<VApply>(&from->node);
  if (to == DType::I64 && d == DType::U64 && back && back->op == ScalarOp::Cast && back->args[0]->type.dtype == to)
    return e.operand(back->args[0]);
  if (d == to) return e.operand(from);
  if (is_half(d) && to != DType::F32) return cast_scalar(e, to, v_cast(from, DType::F32));
  if (is_complex(d) && !is_complex(to) && to != DType::Bool && to != real_of(d))
    return cast_scalar(e, to, v_cast(from, real_of(d)));
  if (is_small(d) || (is_small(to) && !is_complex(d))) return cast_small_scalar(e, to, from);
  if (is_complex(d) || is_complex(to)) return cast_complex(e, to, from);
  if (is_half(d) || is_half(to)) return cast_half_scalar(e, to, from);
  if (to == DType::Bool) return c_binary(e.operand(from), "!=", c_text("0"));
  if (is_float(d) && is_int(to)) return call_scalar_piece(e, piece_to(to, "float"), d, {e.operand(from)});
  return c_cast(e.c_type(to), e.operand(from));
}

/// The low parts of the lanes of 32 bytes `a`: AVX2 picks bytes inside of each half, then the halves' words. As one
/// shuffle compilers pick bytes of both halves apart from each other.
void narrow_halves(Emitter& in, DType to, int lanes, int ratio, CBlock& body) {
  const std::string parts = in.vector_type(to, lanes * ratio);
  const int half = lanes / 2;
  std::vector<CExpr> picks(2, c_cast(parts, c_text("a")));
  for (int l = 0; l < lanes * ratio; ++l)
    picks.push_back(c_text(std::to_string((l / (half * ratio) * half + l % half) * ratio)));
  body.push_back(c_declare("const " + parts, "low", c_call("__builtin_shufflevector", std::move(picks))));
  const int bits = half * bits_of(to);
  std::vector<CExpr> words(2, c_cast(in.vector_type(signed_of(bits), 256 / bits), c_text("low")));
  for (const int word : {0, 128 / bits}) words.push_back(c_text(std::to_string(word)));
  body.push_back(c_return(c_cast(in.c_type({to, lanes, 0}), c_call("__builtin_shufflevector", std::move(words)))));
}

/// Integers between widths: a row, bytes picked for narrowing, else a conversion by the compiler.
CExpr convert_ints(Emitter& e, CExpr v, DType from, DType to, int lanes) {
  const OperandType t{to, lanes, 0}, f{from, lanes, 0};
  const std::string type = e.c_type(t);
  if (from == to) return v;
  if (bits_of(from) == bits_of(to)) return c_cast(type, v);
  if (const IsaRow* row = e.isa.row(fmt::format("cvt_{}_{}", name_of(from), name_of(to)), from, lanes))
    return c_cast(type, c_row(row->spelling, {v}));
  if (bits_of(from) < bits_of(to) || lanes < 4) return c_call("__builtin_convertvector", {v, c_text(type)});
  const Piece piece{piece_to(to, "wider"), f, t, {f}};
  return call_piece(e, piece, {v}, [&](Emitter& in, CBlock& body) {
    const int ratio = bits_of(from) / bits_of(to), bits = lanes / 2 * bits_of(to);
    const std::string parts = in.vector_type(to, lanes * ratio);
    if (in.isa.vector_bits == 256 && bits_of(from) * lanes == 256 && (bits == 32 || bits == 64))
      return narrow_halves(in, to, lanes, ratio, body);
    std::vector<CExpr> args(2, c_cast(parts, c_text("a")));
    for (int l = 0; l < lanes; ++l) args.push_back(c_text(std::to_string(l * ratio)));
    body.push_back(c_return(c_call("__builtin_shufflevector", std::move(args))));
  });
}

struct FloatRange {
  double least, maximum;
};

/// The row by which NaN becomes a number whose low half is 0, which is all that narrower integers take of it; or null.
const IsaRow* low_truncation(const Isa& isa, const OperandType& from, DType to) {
  const bool eq = isa.row("truncate_eq", from.dtype, from.lanes) != nullptr;
  return bits_of(to) <= 16 && !eq ? isa.row("truncate_low", from.dtype, from.lanes) : nullptr;
}

/// Both bounds are exact in the float and inside of `w`: NaN becomes 0, the rest is brought into the range, and all
/// lanes convert.
void convert_bounded(Emitter& in, const OperandType& from, const OperandType& w, FloatRange range, CBlock& body) {
  const Operand a = v_var("a", from), number = v_var("number", from);
  const auto within = [&](const Operand& v) {
    return v_apply(ScalarOp::Min,
                   {v_apply(ScalarOp::Max, {v, v_const(range.least, from)}), v_const(range.maximum, from)});
  };
  const IsaRow* row = w.dtype == DType::I32 ? in.isa.row("truncate_eq", from.dtype, from.lanes) : nullptr;
  if (row) {  // the comparison and the bounds do not depend on each other
    in.block({s_let("bounded", within(a))}, body);
    const CExpr lanes = c_row(row->spelling, {c_text("a"), c_text("a"), c_text("bounded")});
    body.push_back(c_return(c_cast(in.c_type(w), lanes)));
    return;
  }
  const Operand bounded = within(number);
  in.block({s_let("number", v_select(v_apply(ScalarOp::Eq, {a, a}), a, v_const(0, from))), s_let("bounded", bounded)},
           body);
  body.push_back(c_return(c_call("__builtin_convertvector", {c_text("bounded"), c_text(in.c_type(w))})));
}

/// The integers of at least 32 bits that floats become on the way to `to`.
OperandType before_narrowing(const OperandType& from, DType to) {
  const DType wide = from.dtype == DType::F64 ? DType::I64 : DType::U32;
  return {to == DType::U32 ? wide : bits_of(to) == 64 ? to : DType::I32, from.lanes, 0};
}

/// Lanes inside the range of `to` are converted; lanes outside get the bound; NaN is in no range and gives 0.
CExpr within_ints(Emitter& e, CExpr v, const OperandType& from, DType to) {
  const bool wide = from.dtype == DType::F64;
  const OperandType w = before_narrowing(from, to);
  const int bits = bits_of(to);
  const double hi = std::ldexp(1.0, is_signed_int(to) ? bits - 1 : bits), lo = is_signed_int(to) ? -hi : 0.0;
  const Operand a = v_var("a", from);
  const Piece piece{piece_to(to, "float_lanes"), from, w, {from}};
  return call_piece(e, piece, {v}, [&](Emitter& in, CBlock& body) {
    if (bits <= (wide ? 52 : 23)) return convert_bounded(in, from, w, {lo, hi - 1}, body);
    const Operand high = v_const(hi, from), low = v_const(lo, from);
    const OperandType m{DType::Bool, from.lanes, bits_of(from.dtype)};
    in.block(
        {s_let("over", v_apply(ScalarOp::Ge, {a, high})), s_let("under", v_apply(ScalarOp::Lt, {a, low})),
         s_let("inside", v_apply(ScalarOp::And, {v_apply(ScalarOp::Ge, {a, low}), v_apply(ScalarOp::Lt, {a, high})})),
         s_let("safe", v_select(v_var("inside", m), a, v_const(0, from)))},
        body);
    body.push_back(c_declare("const " + in.c_type(w), "r",
                             c_call("__builtin_convertvector", {c_text("safe"), c_text(in.c_type(w))})));
    in.declare("r", Binding{"r", w, false, false, std::nullopt});
    const Operand top = v_constant(*as_constant(constant_of(INFINITY, to)), w),
                  bottom = v_constant(*as_constant(constant_of(-INFINITY, to)), w);
    body.push_back(
        c_return(in.operand(v_select(v_var("over", m), top, v_select(v_var("under", m), bottom, v_var("r", w))))));
  });
}

/// The same, of which only the low half counts: NaN passes through the bounds.
CExpr low_of_ints(Emitter& e, CExpr v, const OperandType& from, DType to, const IsaRow& row) {
  const double hi = std::ldexp(1.0, is_signed_int(to) ? bits_of(to) - 1 : bits_of(to)),
               lo = is_signed_int(to) ? -hi : 0;
  const OperandType w = before_narrowing(from, to);
  return call_piece(e, Piece{piece_to(to, "float_low"), from, w, {from}}, {v}, [&](Emitter& in, CBlock& body) {
    const Operand a = v_var("a", from), least = v_apply(ScalarOp::Max, {a, v_const(lo, from)});
    in.block({s_let("bounded", v_apply(ScalarOp::Min, {least, v_const(hi - 1, from)}))}, body);
    body.push_back(c_return(c_cast(in.c_type(w), c_row(row.spelling, {c_text("bounded")}))));
  });
}

/// The vectors that `v` lays end to end.
void each_joined(const Operand& v, FunctionRef<void(const Operand&)> f) {
  const auto* s = std::get_if<VShuffle>(&v->node);
  if (!s) return f(v);
  each_joined(s->a, f);
  each_joined(s->b, f);
}

/// Whether `v` is more than one register of lanes, laid end to end.
bool is_joined(const Emitter& e, const Operand& v) {
  const int bits = v->type.dtype == DType::Bool ? v->type.mask_bits : bits_of(v->type.dtype);
  return std::holds_alternative<VShuffle>(v->node) && bits * v->type.lanes > e.isa.vector_bits;
}

/// Two vectors as one, of integers of half the width, which the lanes fit if `fits`, or as wide.
CExpr pair_of(Emitter& e, std::vector<CExpr> ab, const OperandType& t, const OperandType& to, bool fits) {
  const std::string_view fitting = is_signed_int(to.dtype) ? "pack" : "pack_unsigned";
  const std::string_view key = bits_of(to.dtype) == 32 ? "pack_words" : fits ? fitting : "";
  const IsaRow* row = e.isa.row(key, signed_of(bits_of(t.dtype)), t.lanes);
  if (row && bits_of(to.dtype) < bits_of(t.dtype)) return c_cast(e.c_type(to), c_row(row->spelling, ab));
  return call_piece(e, Piece{piece_to(to.dtype, "pair"), t, to, {t, t}}, std::move(ab), [&](Emitter& in, CBlock& body) {
    const int ratio = bits_of(t.dtype) / bits_of(to.dtype);
    const std::string parts = in.vector_type(to.dtype, t.lanes * ratio);
    std::vector<CExpr> args = {c_cast(parts, c_text("a")), c_cast(parts, c_text("b"))};
    for (int l = 0; l < to.lanes; ++l) args.push_back(c_text(std::to_string(l * ratio)));
    body.push_back(c_return(c_call("__builtin_shufflevector", std::move(args))));
  });
}

/// Several vectors that are laid end to end, as integers that fit one: each step makes one of two and halves the width.
CExpr narrow_joined(Emitter& e, const Operand& v, DType to) {
  const DType from = v->type.dtype;
  OperandType t;
  std::vector<CExpr> lanes;
  each_joined(v, [&](const Operand& part) {
    const CExpr x = e.operand(part);
    t = part->type;
    if (from == DType::Bool) t = {signed_of(t.mask_bits), t.lanes, 0};
    if (is_float(from)) t = before_narrowing(part->type, to);
    lanes.push_back(is_float(from) ? within_ints(e, x, part->type, to) : x);
  });
  for (std::vector<CExpr> pairs; lanes.size() > 1; lanes = std::exchange(pairs, {})) {
    const int bits = std::max(bits_of(t.dtype) / 2, bits_of(to));
    const OperandType pair{bits == bits_of(to) ? to : signed_of(bits), 2 * t.lanes, 0};
    for (size_t i = 0; i < lanes.size(); i += 2)
      pairs.push_back(pair_of(e, {lanes[i], lanes[i + 1]}, t, pair, !is_int(from)));
    t = pair;
  }
  return convert_ints(e, lanes[0], t.dtype, to, t.lanes);
}

/// Half floats by integer arithmetic on vectors, where the level has no row.
CExpr f32_of_half(Emitter& e, const Operand& from) {
  const int lanes = from->type.lanes;
  const DType d = from->type.dtype;
  const OperandType f{DType::F32, lanes, 0}, u{DType::U32, lanes, 0}, h{DType::U16, lanes, 0};
  if (const IsaRow* row = e.isa.row("cvt_f16_f32", d, lanes)) return c_row(row->spelling, {e.operand(from)});
  const auto n = [&](int64_t v) { return v_constant({v, 0}, u); };
  const auto bit_and = [&](Operand a, Operand b) { return v_apply(ScalarOp::BitAnd, {std::move(a), std::move(b)}); };
  const auto shl = [&](Operand a, int64_t k) { return v_apply(ScalarOp::Shl, {std::move(a), n(k)}); };
  const Operand w = v_cast(v_var("a", h), DType::U32);
  if (d == DType::BF16)
    return call_piece(e, Piece{"f32_of_bf16", h, f, {h}}, {e.operand(from)},
                      [&] { return v_apply_as(ScalarOp::Bits, {shl(w, 16)}, f); });
  return call_piece(e, Piece{"f32_of_f16", h, f, {h}}, {e.operand(from)}, [&](Emitter& in, CBlock& body) {
    const Operand wide = v_var("wide", u), magnitude = v_var("magnitude", u), scaled = v_var("scaled", f);
    in.block({s_let("wide", w), s_let("magnitude", bit_and(wide, n(0x7fff))),
              s_let("scaled", v_apply(ScalarOp::Mul,
                                      {v_apply_as(ScalarOp::Bits, {shl(magnitude, 13)}, f), v_const(0x1p112, f)}))},
             body);
    const auto bit_or = [&](Operand a, Operand b) { return v_apply(ScalarOp::BitOr, {std::move(a), std::move(b)}); };
    const Operand special = v_select(v_apply(ScalarOp::Ge, {magnitude, n(0x7c00)}), n(0x7f800000), n(0));
    const Operand quiet = v_select(v_apply(ScalarOp::Gt, {magnitude, n(0x7c00)}), n(0x400000), n(0));
    const Operand sign = shl(bit_and(wide, n(0x8000)), 16);
    body.push_back(c_return(in.operand(v_apply_as(
        ScalarOp::Bits, {bit_or(bit_or(sign, v_apply_as(ScalarOp::Bits, {scaled}, u)), bit_or(special, quiet))}, f))));
  });
}

/// By a row for half as many lanes, where the level has one.
CExpr half_by_halves(Emitter& e, CExpr v, int lanes) {
  const OperandType f{DType::F32, lanes, 0}, h{DType::U16, lanes, 0}, part{DType::U16, lanes / 2, 0};
  const IsaRow* row = lanes >= 8 ? e.isa.row("cvt_f32_f16", DType::F32, lanes / 2) : nullptr;
  if (!row) return call_lanewise(e, ScalarOp::Cast, {DType::F16, lanes, 0}, {f}, {v});
  return call_piece(e, Piece{"f16_of_f32", f, h, {f}}, {v}, [&](Emitter& in, CBlock& body) {
    const auto picked = [](const char* a, const char* b, int begin, int end) {
      std::vector<CExpr> args = {c_text(a), c_text(b)};
      for (int l = begin; l < end; ++l) args.push_back(c_text(std::to_string(l)));
      return c_call("__builtin_shufflevector", std::move(args));
    };
    const auto half = [&](int begin) { return c_row(row->spelling, {picked("a", "a", begin, begin + lanes / 2)}); };
    body.push_back(c_declare("const " + in.c_type(part), "low", c_cast(in.c_type(part), half(0))));
    body.push_back(c_declare("const " + in.c_type(part), "high", c_cast(in.c_type(part), half(lanes / 2))));
    body.push_back(c_return(picked("low", "high", 0, lanes)));
  });
}

CExpr half_of_f32(Emitter& e, CExpr v, DType to, int lanes) {
  const OperandType f{DType::F32, lanes, 0}, u{DType::U32, lanes, 0}, h{DType::U16, lanes, 0};
  if (const IsaRow* row = to == DType::F16 ? e.isa.row("cvt_f32_f16", DType::F32, lanes) : nullptr)
    return c_cast(e.c_type(h), c_row(row->spelling, {v}));
  if (to == DType::F16) return half_by_halves(e, std::move(v), lanes);
  return call_piece(e, Piece{"bf16_of_f32", f, h, {f}}, {v}, [&](Emitter& in, CBlock& body) {
    const Operand a = v_var("a", f), bits = v_var("bits", u), rounded = v_var("rounded", u);
    const auto n = [&](int64_t c) { return v_constant({c, 0}, u); };
    const auto shr = [&](Operand x) { return v_apply(ScalarOp::Shr, {std::move(x), n(16)}); };
    const Operand odd = v_apply(ScalarOp::BitAnd, {shr(bits), n(1)});
    in.block({s_let("bits", v_apply_as(ScalarOp::Bits, {a}, u)), s_let("rounded", shr(bits + n(0x7fff) + odd))}, body);
    const Operand nan = v_apply(ScalarOp::BitOr, {shr(bits), n(0x40)});
    body.push_back(c_return(in.operand(v_cast(v_select(v_apply(ScalarOp::Ne, {a, a}), nan, rounded), DType::U16))));
  });
}

/// A number as an f32 that rounds to f16 as the number itself would: integers beyond all f16 are limited, and the last
/// bit of a float that stays is set where a bit is lost.
CExpr f32_before_f16(Emitter& e, const Operand& from) {
  const OperandType& t = from->type;
  const OperandType f{DType::F32, t.lanes, 0}, u{DType::U64, t.lanes, 0};
  if (is_int(t.dtype)) {
    const auto n = [&](int64_t v) { return v_constant({v, 0}, t); };
    const Operand above = is_signed_int(t.dtype) ? v_apply(ScalarOp::Max, {from, n(-0x20000)}) : from;
    return e.operand(v_cast(v_cast(v_apply(ScalarOp::Min, {above, n(0x20000)}), DType::I32), DType::F32));
  }
  return call_piece(e, Piece{"f32_odd", t, f, {t}}, {e.operand(from)}, [&](Emitter& in, CBlock& body) {
    const Operand bits = v_var("bits", u), rest = v_constant({0x1fffffff, 0}, u), last = v_constant({0x20000000, 0}, u);
    const auto bit_and = [](Operand a, Operand b) { return v_apply(ScalarOp::BitAnd, {std::move(a), std::move(b)}); };
    const Operand odd = v_apply(ScalarOp::BitOr, {bits, bit_and(bit_and(bits, rest) + rest, last)});
    in.block({s_let("bits", v_apply_as(ScalarOp::Bits, {v_var("a", t)}, u))}, body);
    const Operand kept = bit_and(odd, v_apply(ScalarOp::BitNot, {rest}));
    body.push_back(c_return(in.operand(v_cast(v_apply_as(ScalarOp::Bits, {kept}, t), DType::F32))));
  });
}

/// From a mask: 1 where it is set.
CExpr cast_mask(Emitter& e, const OperandType& to, const Operand& from) {
  if (to.dtype == DType::Bool) return mask_of_width(e, from, to.mask_bits);
  const CExpr m = mask_of_width(e, from, bits_of(to.dtype));
  const OperandType i{signed_of(bits_of(to.dtype)), to.lanes, 0};
  const CExpr one = literal(e, VConst{1, 1}, to);
  return c_cast(e.c_type(to),
                c_binary(m, "&", is_float(to.dtype) || to.dtype != i.dtype ? c_cast(e.c_type(i), one) : one));
}

CExpr cast_small_vector(Emitter& e, const OperandType& to, const Operand& from) {
  const OperandType& t = from->type;
  const DType compute = dtype_row(is_small(t.dtype) ? t.dtype : to.dtype).compute;
  const bool meets = is_small(t.dtype) ? to.dtype != compute : t.dtype != compute && is_int(compute);
  if (meets) return cast_value(e, to, v_cast(from, compute));
  return call_lanewise(e, ScalarOp::Cast, to, {t}, {e.operand(from)});
}

/// The float behind a cast to an integer of `to` by way of a narrower one: it becomes the latter's number in lanes of
/// `to` first. Null for others.
Operand float_of_narrow(const Emitter& e, const OperandType& to, const Operand& from) {
  const auto* cast = std::get_if<VApply>(&from->node);
  if (!cast || cast->op != ScalarOp::Cast || !is_int(from->type.dtype) || bits_of(from->type.dtype) > 16)
    return nullptr;
  const Operand& x = cast->args[0];
  const bool f32 = x->type.dtype == DType::F32 && to.dtype == before_narrowing(x->type, from->type.dtype).dtype;
  return f32 && !is_joined(e, x) ? x : nullptr;
}

CExpr cast_vector(Emitter& e, const OperandType& to, const Operand& from) {
  const OperandType& t = from->type;
  if (t == to) return e.operand(from);
  if (const Operand x = float_of_narrow(e, to, from)) return within_ints(e, e.operand(x), x->type, t.dtype);
  if (is_int(to.dtype) && is_joined(e, from)) return narrow_joined(e, from, to.dtype);
  if (is_small(t.dtype) || (is_small(to.dtype) && !is_half(t.dtype))) return cast_small_vector(e, to, from);
  if (t.dtype == DType::Bool && !is_half(to.dtype)) return cast_mask(e, to, from);
  if (is_half(t.dtype))
    return to.dtype == DType::F32 ? f32_of_half(e, from) : cast_vector(e, to, v_cast(from, DType::F32));
  if (is_half(to.dtype)) {
    const bool via_f32 = t.dtype == DType::F32 || t.dtype == DType::Bool || (is_int(t.dtype) && bits_of(t.dtype) <= 16);
    if (via_f32) return half_of_f32(e, cast_vector(e, {DType::F32, t.lanes, 0}, from), to.dtype, t.lanes);
    if (to.dtype == DType::F16) return half_of_f32(e, f32_before_f16(e, from), to.dtype, t.lanes);
    return call_lanewise(e, ScalarOp::Cast, to, {t}, {e.operand(from)});
  }
  if (to.dtype == DType::Bool) return mask_of_width(e, v_apply(ScalarOp::Ne, {from, v_const(0, t)}), to.mask_bits);
  if (is_int(t.dtype) && is_int(to.dtype)) return convert_ints(e, e.operand(from), t.dtype, to.dtype, t.lanes);
  if (is_float(t.dtype) && is_int(to.dtype)) {
    if (t.dtype == DType::F32 && bits_of(to.dtype) == 64) return cast_vector(e, to, v_cast(from, DType::F64));
    const IsaRow* low = low_truncation(e.isa, t, to.dtype);
    const CExpr lanes =
        low ? low_of_ints(e, e.operand(from), t, to.dtype, *low) : within_ints(e, e.operand(from), t, to.dtype);
    return convert_ints(e, lanes, before_narrowing(t, to.dtype).dtype, to.dtype, t.lanes);
  }
  const bool small = is_int(t.dtype) && bits_of(t.dtype) < 32;
  const DType type = small ? DType::I32 : t.dtype;
  const CExpr v = small ? convert_ints(e, e.operand(from), t.dtype, type, t.lanes) : e.operand(from);
  if (const IsaRow* row = e.isa.row(fmt::format("cvt_{}_{}", name_of(type), name_of(to.dtype)), type, t.lanes))
    return c_row(row->spelling, {v});
  return c_call("__builtin_convertvector", {v, c_text(e.c_type(to))});
}

}  // namespace

CExpr mask_of_width(Emitter& e, const Operand& m, int bits) {
  if (is_joined(e, m)) return narrow_joined(e, m, signed_of(bits));
  return convert_ints(e, e.operand(m), signed_of(m->type.mask_bits), signed_of(bits), m->type.lanes);
}

CExpr cast_value(Emitter& e, const OperandType& to, const Operand& from) {
  return to.lanes == 1 ? cast_scalar(e, to.dtype, from) : cast_vector(e, to, from);
}

CExpr bits_value(Emitter& e, const OperandType& to, const Operand& from) {
  const DType d = from->type.dtype;
  const auto bare = [](DType x) { return is_half(x) ? DType::U16 : x == DType::Bool || is_small(x) ? DType::U8 : x; };
  const CExpr v = e.operand(from);
  if (bare(d) == bare(to.dtype)) return v;
  if (to.lanes > 1) return c_cast(e.c_type(to), v);
  if (d == DType::F32 || d == DType::F64) {
    const CExpr u = call_scalar_piece(e, "bits", d, {v});
    return is_signed_int(to.dtype) ? c_cast(e.c_type(to), u) : u;
  }
  if (to.dtype == DType::F32 || to.dtype == DType::F64) {
    const bool f32 = to.dtype == DType::F32;
    return call_scalar_piece(e, f32 ? "f32_of_bits" : "f64_of_bits", f32 ? DType::U32 : DType::U64,
                             {is_signed_int(d) ? c_cast(f32 ? "uint32_t" : "uint64_t", v) : v});
  }
  TENON_CHECK(is_int(bare(d)) && is_int(bare(to.dtype)), "bits of {} as {}", name_of(d), name_of(to.dtype));
  return c_cast(e.c_type(to), v);
}

}  // namespace tenon::emit
