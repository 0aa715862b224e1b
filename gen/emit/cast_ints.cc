// Conversions of lanes to integers: from other widths, from floats, and of several vectors into one.
#include <cmath>

#include "emit/cast.h"

namespace tenon::emit {
namespace {

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

struct FloatRange {
  double least, maximum;
};

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

/// The vectors that `v` lays end to end.
void each_joined(const Operand& v, FunctionRef<void(const Operand&)> f) {
  const auto* s = std::get_if<VShuffle>(&v->node);
  if (!s) return f(v);
  each_joined(s->a, f);
  each_joined(s->b, f);
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

}  // namespace

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

const IsaRow* low_truncation(const Isa& isa, const OperandType& from, DType to) {
  const bool eq = isa.row("truncate_eq", from.dtype, from.lanes) != nullptr;
  return bits_of(to) <= 16 && !eq ? isa.row("truncate_low", from.dtype, from.lanes) : nullptr;
}

OperandType before_narrowing(const OperandType& from, DType to) {
  const DType wide = from.dtype == DType::F64 ? DType::I64 : DType::U32;
  return {to == DType::U32 ? wide : bits_of(to) == 64 ? to : DType::I32, from.lanes, 0};
}

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

bool is_joined(const Emitter& e, const Operand& v) {
  const int bits = v->type.dtype == DType::Bool ? v->type.mask_bits : bits_of(v->type.dtype);
  return std::holds_alternative<VShuffle>(v->node) && bits * v->type.lanes > e.isa.vector_bits;
}

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

}  // namespace tenon::emit
