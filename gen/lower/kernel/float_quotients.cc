// Integer division in floats: a//b is floor(a/b), rounded to a type whose distances are less than 1/b.
#include "lower/kernel/kernel_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Of a quotient of 16 bits that is not an integer the next one is 2^-16 away at least, and f32 is rounded by 2^-24 at
/// most; the same holds for 32 bits and f64. Unsigned ones of 32 bits are converted element by element.
bool in_floats(const Expr& e) {
  const auto* a = std::get_if<Apply>(&e->node);
  const bool divides = a && (a->op == ScalarOp::FloorDiv || a->op == ScalarOp::Mod) && is_int(e->type);
  return divides && bytes_of(e->type) <= 4 && e->type != DType::U32 && !constant_value(a->args[1]);
}

/// The type in which quotients are computed.
DType float_for(DType t) { return bytes_of(t) <= 2 ? DType::F32 : DType::F64; }

/// floor(a/b); by the reciprocal of a divisor that many elements share: (a + 1/2)/b is half of 1/b away from all
/// integers, further than the product is rounded.
Expr floor_quotient(const Expr& a, const Expr& b, bool shared) {
  const DType f = float_for(a->type);
  const Expr x = cast_to(a, f), y = cast_to(b, f);
  if (!shared) return apply(ScalarOp::Floor, {apply(ScalarOp::Div, {x, y})});
  const Expr half = select(apply(ScalarOp::Gt, {y, constant_of(0, f)}), constant_of(0.5, f), constant_of(-0.5, f));
  const Expr inverse = apply(ScalarOp::Div, {constant_of(1, f), y});
  return apply(ScalarOp::Floor, {apply(ScalarOp::Mul, {apply(ScalarOp::Add, {x, half}), inverse})});
}

/// The lowest bits of an f64 that is an integer below 2^51: a sum whose last bit counts ones ends with them.
Expr lowest_bits(const Expr& q, DType t) {
  const Expr sum = apply(ScalarOp::Add, {q, constant_of(0x1.8p52, DType::F64)});
  return cast_to(apply_as(ScalarOp::Bits, {sum}, DType::U64), t);
}

Expr quotient(const Expr& a, const Expr& b, bool shared) {
  const DType t = a->type;
  if (float_for(t) == DType::F64) return lowest_bits(floor_quotient(a, b, shared), t);
  const Expr q = cast_to(floor_quotient(a, b, shared), t);
  if (!is_signed_int(t)) return q;
  // The quotient of the lowest number and -1 wraps.
  return select(apply(ScalarOp::Eq, {b, constant_int(-1, t)}), apply(ScalarOp::Sub, {constant_int(0, t), a}), q);
}

/// Whether the value is the same along the loop: an operand that the call repeats, or none of its dimensions.
bool is_repeated(const Kernel& k, const Expr& e, const std::string& loop) {
  const auto* r = std::get_if<Read>(&e->node);
  if (!r) return !mentions(e, loop);
  const std::vector<Expr>& strides = k.tensor(r->tensor).strides;
  for (size_t d = 0; d < r->index.size(); ++d)
    if (mentions(r->index[d], loop) && constant_value(strides[d]) != 0) return false;
  return true;
}

Expr rewritten(const Kernel& k, const Expr& e, const std::string& loop) {
  if (std::holds_alternative<Read>(e->node)) return e;  // an index stays one of integers
  const Expr r = map_children(e, [&](const Expr& c) { return rewritten(k, c, loop); });
  if (!in_floats(r)) return r;
  const auto& a = std::get<Apply>(r->node);
  const Expr q = quotient(a.args[0], a.args[1], is_repeated(k, a.args[1], loop));
  return a.op == ScalarOp::FloorDiv ? q : apply(ScalarOp::Sub, {a.args[0], apply(ScalarOp::Mul, {q, a.args[1]})});
}

}  // namespace

bool divides_integers(const Kernel& k) {
  return any_of(k.body,
                [](const KernelStatement& s) { return any_node(s.value, [](const Expr& e) { return in_floats(e); }); });
}

Kernel quotients_by_floats(const Kernel& k) {
  Kernel out = k;
  for (KernelStatement& s : out.body)
    if (!s.loops.empty()) s.value = rewritten(k, s.value, s.loops.back().name);
  return out;
}

}  // namespace tenon
