// Conversions of single numbers.
#include "emit/cast.h"

namespace tenon::emit {
namespace {

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

}  // namespace

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

}  // namespace tenon::emit
