// Lane by lane operations on vectors: rows of the level, GNU vector operators, else small functions.
#include <fmt/format.h>

#include <bit>

#include "emit/emitter.h"
#include "support/check.h"
#include "support/ranges.h"

namespace tenon::emit {
namespace {

/// Between masks, whose lanes are all bits or none, logic is that of their bits.
std::string_view vector_operator(ScalarOp op) {
  return op == ScalarOp::And ? "&" : op == ScalarOp::Or ? "|" : scalar_op_row(op).c_sign;
}

/// An operand of a vector operator: a splat of floats may be written as the scalar, which C broadcasts.
CExpr side(Emitter& e, const Operand& v, bool scalar_allowed) {
  if (scalar_allowed && (v->type.dtype == DType::F32 || v->type.dtype == DType::F64)) {
    if (const auto* c = std::get_if<VConst>(&v->node)) return literal(e, *c, {v->type.dtype, 1, 0});
    if (const auto* s = std::get_if<VSplat>(&v->node)) return e.operand(s->scalar);
  }
  return e.operand(v);
}

bool is_splat(const Operand& v) {
  return std::holds_alternative<VConst>(v->node) || std::holds_alternative<VSplat>(v->node);
}

/// Arithmetic; signed integers wrap, so they compute as unsigned ones.
CExpr arithmetic(Emitter& e, const OperandType& t, const VApply& n) {
  const std::string_view op = vector_operator(n.op);
  const CExpr a = side(e, n.args[0], !is_splat(n.args[1])), b = side(e, n.args[1], true);
  if (!is_signed_int(t.dtype)) return c_binary(a, op, b);
  return wrapped(e.c_type(t), e.vector_type(unsigned_of(bits_of(t.dtype)), t.lanes), op, a, b);
}

/// Comparisons of masks: false is less than true.
CExpr mask_comparison(Emitter& e, const VApply& n) {
  const CExpr a = e.operand(n.args[0]), b = mask_of_width(e, n.args[1], n.args[0]->type.mask_bits);
  switch (n.op) {
    case ScalarOp::Lt: return c_binary(c_unary("~", a), "&", b);
    case ScalarOp::Le: return c_binary(c_unary("~", a), "|", b);
    case ScalarOp::Gt: return c_binary(a, "&", c_unary("~", b));
    case ScalarOp::Ge: return c_binary(a, "|", c_unary("~", b));
    case ScalarOp::Ne: return c_binary(a, "^", b);
    case ScalarOp::Eq: return c_unary("~", c_binary(a, "^", b));
    default: TENON_UNREACHABLE("{} of conditions", scalar_op_row(n.op).name);
  }
}

CExpr comparison(Emitter& e, const OperandNode& node, const VApply& n) {
  const OperandType& from = n.args[0]->type;
  const std::string_view op = vector_operator(n.op);
  if (from.dtype == DType::Bool) return mask_comparison(e, n);
  const CExpr r = c_binary(side(e, n.args[0], !is_splat(n.args[1])), op, side(e, n.args[1], true));
  return bits_of(from.dtype) == 32 ? r : c_cast(e.c_type(node.type), r);
}

Operand arg(int i, const OperandType& t) { return v_var(std::string(1, static_cast<char>('a' + i)), t); }

/// min and max of floats: the raw instruction returns its second argument when one is NaN; a NaN in the first is put in
/// afterwards.
CExpr float_extremum(Emitter& e, const OperandType& t, const VApply& n) {
  const bool max = n.op == ScalarOp::Max;
  const IsaRow* raw = e.isa.row(max ? "max_raw" : "min_raw", t.dtype, t.lanes);
  Operand x = n.args[0], y = n.args[1];
  if (not_nan_constant(y)) std::swap(x, y);
  if (raw && not_nan_constant(x)) return c_row(raw->spelling, {e.operand(x), e.operand(y)});
  const Piece piece{max ? "max" : "min", t, t, {t, t}};
  return call_piece(e, piece, {e.operand(x), e.operand(y)}, [&](Emitter& inner, CBlock& body) {
    const Operand a = arg(0, t), b = arg(1, t);
    const Operand nan = v_apply(ScalarOp::Ne, {a, a});
    if (raw) {
      body.push_back(c_declare("const " + inner.c_type(t), "r", c_row(raw->spelling, {c_text("a"), c_text("b")})));
      inner.declare("r", Binding{"r", t, false, false, std::nullopt});
      body.push_back(c_return(inner.operand(v_select(nan, a, v_var("r", t)))));
    } else {
      const Operand first = v_apply(max ? ScalarOp::Gt : ScalarOp::Lt, {a, b});
      body.push_back(c_return(inner.operand(v_select(v_apply(ScalarOp::Or, {first, nan}), a, b))));
    }
  });
}

CExpr extremum(Emitter& e, const OperandType& t, const VApply& n) {
  if (is_float(t.dtype)) return float_extremum(e, t, n);
  if (t.dtype == DType::Bool) return e.operand(v_apply(n.op == ScalarOp::Max ? ScalarOp::Or : ScalarOp::And, n.args));
  const bool max = n.op == ScalarOp::Max;
  return call_piece(e, Piece{max ? "max" : "min", t, t, {t, t}}, {e.operand(n.args[0]), e.operand(n.args[1])}, [&] {
    const Operand a = arg(0, t), b = arg(1, t);
    return v_select(v_apply(max ? ScalarOp::Gt : ScalarOp::Lt, {a, b}), a, b);
  });
}

/// Operations defined by other operations on a (and b).
Operand by_others(ScalarOp op, const OperandType& t) {
  const Operand a = arg(0, t), b = arg(1, t);
  const OperandType u{unsigned_of(bits_of(t.dtype)), t.lanes, 0};
  const int64_t top = bits_of(t.dtype) == 64 ? INT64_MIN : int64_t{1} << (bits_of(t.dtype) - 1);
  const Operand sign_bit = v_constant({top, 0}, u), other_bits = v_constant({~top, 0}, u);
  const auto bits = [&](const Operand& v) { return v_apply_as(ScalarOp::Bits, {v}, u); };
  const auto value = [&](const Operand& v) { return v_apply_as(ScalarOp::Bits, {v}, t); };
  const Operand zero = v_const(0, t);
  switch (op) {
    case ScalarOp::Sq: return v_apply(ScalarOp::Mul, {a, a});
    case ScalarOp::Abs:
      if (is_float(t.dtype)) return value(v_apply(ScalarOp::BitAnd, {bits(a), other_bits}));
      return v_select(v_apply(ScalarOp::Lt, {a, zero}), v_apply(ScalarOp::Neg, {a}), a);
    case ScalarOp::Sign: {
      const Operand minus = is_unsigned_int(t.dtype) ? zero : v_const(-1, t);
      return v_select(v_apply(ScalarOp::Gt, {a, zero}), v_const(1, t),
                      v_select(v_apply(ScalarOp::Lt, {a, zero}), minus, a));
    }
    case ScalarOp::Copysign:
      return value(v_apply(ScalarOp::BitOr, {v_apply(ScalarOp::BitAnd, {bits(a), other_bits}),
                                             v_apply(ScalarOp::BitAnd, {bits(b), sign_bit})}));
    case ScalarOp::IsNan: return v_apply(ScalarOp::Ne, {a, a});
    case ScalarOp::IsInf:
      return v_apply(ScalarOp::Eq, {v_apply(ScalarOp::Abs, {a}), v_constant({0, __builtin_inf()}, t)});
    case ScalarOp::IsFinite:
      return v_apply(ScalarOp::Lt, {v_apply(ScalarOp::Abs, {a}), v_constant({0, __builtin_inf()}, t)});
    default: return nullptr;
  }
}

/// The number of set bits, added up in fields of 2, 4, 8 bits and so on; the number of zeros above the first one is
/// that of the bits which are not set once the first has spread downwards.
CExpr bit_count(Emitter& e, const OperandType& t, const VApply& n) {
  return call_piece(e, Piece{std::string(scalar_op_row(n.op).name), t, t, {t}}, {e.operand(n.args[0])},
                    [&](Emitter& inner, CBlock& body) {
                      const int bits = bits_of(t.dtype);
                      const OperandType u{unsigned_of(bits), t.lanes, 0};
                      const auto right = [&](const Operand& v, int k) {
                        return v_apply(ScalarOp::Shr, {v, v_constant({k, 0}, u)});
                      };
                      const auto masked = [&](const Operand& v, uint64_t mask) {
                        return v_apply(ScalarOp::BitAnd, {v, v_constant({static_cast<int64_t>(mask), 0}, u)});
                      };
                      Block steps;
                      const auto named = [&](const std::string& name, const Operand& v) {
                        steps.push_back(s_let(name, v));
                        return v_var(name, u);
                      };
                      Operand x = v_apply_as(ScalarOp::Bits, {arg(0, t)}, u);
                      if (n.op == ScalarOp::Clz) {
                        for (int k = 1; k < bits; k *= 2)
                          x = named(fmt::format("spread_{}", k), v_apply(ScalarOp::BitOr, {x, right(x, k)}));
                        x = v_apply(ScalarOp::BitNot, {x});
                      }
                      const uint64_t all = ~uint64_t{0} >> (64 - bits);
                      x = named("whole", x);
                      x = named("by_2", v_apply(ScalarOp::Sub, {x, masked(right(x, 1), all / 3)}));
                      x = named("by_4", masked(x, all / 5) + masked(right(x, 2), all / 5));
                      x = named("by_8", masked(x + right(x, 4), all / 17));
                      for (int k = 8; k < bits; k *= 2) x = named(fmt::format("by_{}", 2 * k), x + right(x, k));
                      inner.block(steps, body);
                      if (bits > 8) x = masked(x, 2 * static_cast<uint64_t>(bits) - 1);
                      body.push_back(c_return(inner.operand(v_apply_as(ScalarOp::Bits, {x}, t))));
                    });
}

/// Converts a remainder with the dividend's sign to one with the divisor's sign.
CExpr float_mod(Emitter& e, const OperandType& t, const VApply& n) {
  return call_piece(
      e, Piece{"mod", t, t, {t, t}}, {e.operand(n.args[0]), e.operand(n.args[1])}, [&](Emitter& inner, CBlock& body) {
        const Operand a = arg(0, t), b = arg(1, t), r = v_var("r", t), zero = v_const(0, t);
        const auto negative = [&](const Operand& v) { return v_apply(ScalarOp::Lt, {v, zero}); };
        const Operand signs_differ = v_apply(ScalarOp::Ne, {negative(r), negative(b)});
        const Operand whole = v_select(signs_differ, r + b, r);
        inner.block({s_let("r", v_apply(ScalarOp::Fmod, {a, b}))}, body);
        body.push_back(c_return(
            inner.operand(v_select(v_apply(ScalarOp::Eq, {r, zero}), v_apply(ScalarOp::Copysign, {zero, b}), whole))));
      });
}

CExpr shift(Emitter& e, const OperandType& t, const VApply& n) {
  const bool left = n.op == ScalarOp::Shl;
  const auto* count = std::get_if<VConst>(&n.args[1]->node);
  if (!count || count->i < 0 || count->i >= bits_of(t.dtype)) return nullptr;
  const std::string type = e.c_type(t), u = e.vector_type(unsigned_of(bits_of(t.dtype)), t.lanes);
  CExpr a = e.operand(n.args[0]);
  if (left && is_signed_int(t.dtype))
    return c_cast(type, c_binary(c_cast(u, a), "<<", c_text(std::to_string(count->i))));
  return c_binary(a, left ? "<<" : ">>", c_text(std::to_string(count->i)));
}

/// The lower bits of a count, below the width of the type.
Operand count_of(const Operand& b) {
  return v_apply(ScalarOp::BitAnd, {b, v_constant({bits_of(b->type.dtype) - 1, 0}, b->type)});
}

/// Shifts by counts within the type: by 1 where bit 0 of the count is set, by 2 where bit 1 is, and so on.
Operand shifted_by_steps(ScalarOp op, const OperandType& t, Block& steps) {
  Operand r = arg(0, t);
  for (int k = 1; k < bits_of(t.dtype); k *= 2) {
    const Operand kept =
        v_apply(ScalarOp::Eq, {v_apply(ScalarOp::BitAnd, {arg(1, t), v_constant({k, 0}, t)}), v_constant({0, 0}, t)});
    const std::string name = "by_" + std::to_string(k);
    steps.push_back(s_let(name, v_select(kept, r, v_apply(op, {r, v_constant({k, 0}, t)}))));
    r = v_var(name, t);
  }
  return r;
}

/// Shifts lane by lane: counts out of range leave zeros, or the sign. Words have instructions for it, which compilers
/// know under the operator.
CExpr shift_by_lanes(Emitter& e, const OperandType& t, const VApply& n) {
  const bool left = n.op == ScalarOp::Shl, sign = !left && is_signed_int(t.dtype);
  return call_piece(
      e, Piece{left ? "shl" : "shr", t, t, {t, t}}, {e.operand(n.args[0]), e.operand(n.args[1])},
      [&](Emitter& inner, CBlock& body) {
        const OperandType u{unsigned_of(bits_of(t.dtype)), t.lanes, 0};
        const int bits = bits_of(t.dtype);
        const Operand outside =
            v_apply(ScalarOp::Ge, {v_apply_as(ScalarOp::Bits, {arg(1, t)}, u), v_constant({bits, 0}, u)});
        Operand r = v_var("r", t);
        if (bits >= 32) {
          const CExpr a = left && is_signed_int(t.dtype) ? c_cast(inner.c_type(u), c_text("a")) : c_text("a");
          const CExpr shifted = c_binary(a, left ? "<<" : ">>", inner.operand(count_of(arg(1, t))));
          body.push_back(c_declare("const " + inner.c_type(t), "r", c_cast(inner.c_type(t), shifted)));
          inner.declare("r", Binding{"r", t, false, false, std::nullopt});
        } else {
          Block steps;
          r = shifted_by_steps(n.op, t, steps);
          inner.block(steps, body);
        }
        const Operand beyond = sign ? v_apply(ScalarOp::Shr, {arg(0, t), v_constant({bits - 1, 0}, t)}) : v_const(0, t);
        body.push_back(c_return(inner.operand(v_select(outside, beyond, r))));
      });
}

/// Quotient and remainder of integers by a constant power of two, rounded down: a shift, and the lower bits.
CExpr by_power_of_two(Emitter& e, const OperandType& t, const VApply& n) {
  const auto* divisor = std::get_if<VConst>(&n.args[1]->node);
  if (!divisor || divisor->i <= 0 || (divisor->i & (divisor->i - 1)) != 0) return nullptr;
  const int64_t bits = std::countr_zero(static_cast<uint64_t>(divisor->i));
  if (n.op == ScalarOp::FloorDiv) return e.operand(v_apply(ScalarOp::Shr, {n.args[0], v_constant({bits, 0}, t)}));
  return e.operand(v_apply(ScalarOp::BitAnd, {n.args[0], v_constant({divisor->i - 1, 0}, t)}));
}

CExpr multiply_add(Emitter& e, const VApply& n) {
  return e.operand(v_apply(ScalarOp::Add, {v_apply(ScalarOp::Mul, {n.args[0], n.args[1]}), n.args[2]}));
}

/// 23 (52) random bits and a half, scaled to between 0 and 1.
CExpr uniform(Emitter& e, const OperandType& t, const VApply& n) {
  const bool f32 = t.dtype == DType::F32;
  const OperandType u = n.args[0]->type;
  const Operand bits = v_apply(ScalarOp::Shr, {n.args[0], v_constant({f32 ? 9 : 12, 0}, u)});
  const Operand number = v_cast(v_apply_as(ScalarOp::Bits, {bits}, {signed_of(bits_of(u.dtype)), u.lanes, 0}), t.dtype);
  const Operand middle = v_apply(ScalarOp::Add, {number, v_const(0.5, t)});
  return e.operand(v_apply(ScalarOp::Mul, {middle, v_const(f32 ? 0x1p-23 : 0x1p-52, t)}));
}

std::vector<CExpr> operands(Emitter& e, const VApply& n) {
  return mapped(n.args, [&](const Operand& a) { return e.operand(a); });
}
std::vector<OperandType> types_of(const VApply& n) {
  return mapped(n.args, [](const Operand& a) { return a->type; });
}

CExpr lanewise(Emitter& e, const OperandNode& node, const VApply& n) {
  return call_lanewise(e, n.op, node.type, types_of(n), operands(e, n));
}

CExpr by_row(Emitter& e, const IsaRow& row, const OperandNode& node, const VApply& n) {
  CExpr r = c_row(row.spelling, operands(e, n));
  return is_float(node.type.dtype) ? r : c_cast(e.c_type(node.type), r);
}

/// Everything that is neither a row nor an operator.
CExpr others(Emitter& e, const OperandNode& node, const VApply& n) {
  const OperandType from = n.args[0]->type;
  const ScalarOpRow& row = scalar_op_row(n.op);
  if (row.has('M') && is_float(from.dtype)) return call_math(e, n.op, from, operands(e, n));
  if (by_others(n.op, from))
    return call_piece(e, Piece{std::string(row.name), from, node.type, types_of(n)}, operands(e, n),
                      [&] { return by_others(n.op, from); });
  return lanewise(e, node, n);
}

}  // namespace

CExpr apply_vector(Emitter& e, const OperandNode& node, const VApply& n) {
  const OperandType& t = node.type;
  const OperandType& from = n.args[0]->type;
  if (is_complex(t.dtype)) return apply_complex(e, t, n);
  if (const IsaRow* row = e.isa.row(scalar_op_row(n.op).name, from.dtype, from.lanes)) return by_row(e, *row, node, n);
  if (is_comparison(n.op)) return comparison(e, node, n);
  switch (n.op) {
    case ScalarOp::Add:
    case ScalarOp::Sub:
    case ScalarOp::Mul: return arithmetic(e, t, n);
    case ScalarOp::Div: TENON_CHECK(is_float(t.dtype), "division of {}", type_tag(t)); return arithmetic(e, t, n);
    case ScalarOp::And:
    case ScalarOp::Or:
      return c_binary(e.operand(n.args[0]), vector_operator(n.op), mask_of_width(e, n.args[1], from.mask_bits));
    case ScalarOp::BitAnd:
    case ScalarOp::BitOr:
    case ScalarOp::BitXor: return c_binary(e.operand(n.args[0]), vector_operator(n.op), e.operand(n.args[1]));
    case ScalarOp::Not:
    case ScalarOp::BitNot: return c_unary("~", e.operand(n.args[0]));
    case ScalarOp::Neg:
      if (is_float(t.dtype)) return c_unary("-", e.operand(n.args[0]));
      return c_cast(e.c_type(t),
                    c_unary("-", c_cast(e.vector_type(unsigned_of(bits_of(t.dtype)), t.lanes), e.operand(n.args[0]))));
    case ScalarOp::Min:
    case ScalarOp::Max: return extremum(e, t, n);
    case ScalarOp::Fma: return multiply_add(e, n);
    case ScalarOp::FloorDiv:
      if (is_float(t.dtype)) return e.operand(v_apply(ScalarOp::Floor, {v_apply(ScalarOp::Div, n.args)}));
      if (CExpr r = by_power_of_two(e, t, n)) return r;
      return lanewise(e, node, n);
    case ScalarOp::Mod:
      if (is_float(t.dtype)) return float_mod(e, t, n);
      if (CExpr r = by_power_of_two(e, t, n)) return r;
      return lanewise(e, node, n);
    case ScalarOp::Shl:
    case ScalarOp::Shr:
      if (CExpr r = shift(e, t, n)) return r;
      return shift_by_lanes(e, t, n);
    case ScalarOp::Abs:
      if (is_unsigned_int(t.dtype)) return e.operand(n.args[0]);
      return others(e, node, n);
    case ScalarOp::Popcount:
    case ScalarOp::Clz: return bit_count(e, t, n);
    case ScalarOp::Real:
    case ScalarOp::Conj: return e.operand(n.args[0]);
    case ScalarOp::Imag: return literal(e, VConst{}, t);
    case ScalarOp::U01: return uniform(e, t, n);
    case ScalarOp::Philox: return philox_vector(e, node, n);
    default: return others(e, node, n);
  }
}

}  // namespace tenon::emit
