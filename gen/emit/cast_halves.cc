// Conversions of lanes to and from half floats, which round to nearest even.
#include "emit/cast.h"

namespace tenon::emit {
namespace {

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

}  // namespace

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

}  // namespace tenon::emit
