// Conversions between element types. Floats saturate to integers and NaN gives 0, integers wrap, half floats round to
// nearest even.
#include "emit/cast.h"

#include <fmt/format.h>

#include "support/check.h"

namespace tenon::emit {
namespace {

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

/// The same ramp of f64, which has all indices exactly: without AVX-512, lanes of i64 are converted one by one. Null
/// for other vectors.
Operand ramp_of_floats(const Emitter& e, const OperandType& to, const Operand& from) {
  const OperandType& t = from->type;
  const auto* ramp = std::get_if<VRamp>(&from->node);
  if (!ramp || t.dtype != DType::I64 || !is_float(to.dtype) || !e.is_index(ramp->base, Attributes::limited))
    return nullptr;
  return v_ramp(v_cast(ramp->base, DType::F64), t.lanes);
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
  if (const Operand ramp = ramp_of_floats(e, to, from)) return cast_vector(e, to, ramp);
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
