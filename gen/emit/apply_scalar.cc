// Scalar operations: C's operators where they mean the same, small functions elsewhere. Integers wrap: they compute
// through unsigned types.
#include <cmath>

#include "emit/emitter.h"
#include "support/check.h"
#include "support/ranges.h"

namespace tenon::emit {
namespace {

bool narrow(DType d) { return is_int(d) && bits_of(d) < 32; }

/// a op b of integers, wrapping.
CExpr wrap_binary(Emitter& e, std::string_view op, DType d, const CExpr& a, const CExpr& b) {
  if (d == DType::U32 || d == DType::U64) return c_binary(a, op, b);
  if (narrow(d) && !(d == DType::U16 && op == "*")) return c_cast(e.c_type(d), c_binary(a, op, b));
  const std::string u = e.c_type(unsigned_of(bits_of(d) < 32 ? 32 : bits_of(d)));
  return is_signed_int(d) && !narrow(d) ? wrapped(e.c_type(d), u, op, a, b)
                                        : c_cast(e.c_type(d), c_binary(c_cast(u, a), op, c_cast(u, b)));
}

CExpr negate(Emitter& e, DType d, const CExpr& a, bool plain) {
  if (is_float(d) || plain) return c_unary("-", a);
  if (narrow(d)) return c_cast(e.c_type(d), c_unary("-", a));
  if (d == DType::U32) return c_binary(c_text("0u"), "-", a);
  if (d == DType::U64) return c_binary(c_text("UINT64_C(0)"), "-", a);
  const bool wide = d == DType::I64;
  return c_cast(e.c_type(d),
                c_binary(c_text(wide ? "UINT64_C(0)" : "0u"), "-", c_cast(wide ? "uint64_t" : "uint32_t", a)));
}

/// min and max: NaN of either side wins. A comparison that a NaN fails chooses the right arm.
CExpr extremum(Emitter& e, const OperandNode& node, const VApply& n) {
  const DType d = node.type.dtype;
  const bool max = n.op == ScalarOp::Max;
  Operand x = n.args[0], y = n.args[1];
  if (is_float(d) && not_nan_constant(y)) std::swap(x, y);
  const CExpr a = e.operand(x), b = e.operand(y);
  const bool plain = !is_float(d) || not_nan_constant(x);
  if (plain && is_simple(a) && is_simple(b)) return c_conditional(c_binary(a, max ? ">" : "<", b), a, b);
  if (is_float(d) && plain) return call_scalar_piece(e, max ? "max_of_constant" : "min_of_constant", d, {a, b});
  return call_scalar_piece(e, max ? "max" : "min", d, {a, b});
}

CExpr divide(Emitter& e, const OperandNode& node, const VApply& n, const CExpr& a, const CExpr& b) {
  const bool mod = n.op == ScalarOp::Mod;
  const DType d = node.type.dtype;
  const auto divisor = e.known(n.args[1]);
  const bool positive = (divisor && *divisor > 0) || (e.in_index() && e.nonnegative(n.args[1]));
  if (is_int(d) && positive && (is_unsigned_int(d) || e.nonnegative(n.args[0]))) {
    const CExpr q = c_binary(a, mod ? "%" : "/", b);
    return narrow(d) ? c_cast(e.c_type(d), q) : q;
  }
  if (is_float(d) && !mod) return e.operand(v_apply(ScalarOp::Floor, {v_apply(ScalarOp::Div, n.args)}));
  if (is_float(d)) return call_scalar_piece(e, "mod", d, {a, b, call_math(e, ScalarOp::Fmod, node.type, {a, b})});
  return call_scalar_piece(e, mod ? "mod" : "floordiv", d, {a, b});
}

CExpr shift(Emitter& e, const OperandNode& node, const VApply& n, const CExpr& a, const CExpr& b) {
  const DType d = node.type.dtype;
  const auto count = e.known(n.args[1]);
  const bool left = n.op == ScalarOp::Shl;
  if (!count || *count < 0 || *count >= bits_of(d)) return call_scalar_piece(e, left ? "shl" : "shr", d, {a, b});
  const CExpr k = c_text(std::to_string(*count));
  if (!left) return narrow(d) ? c_cast(e.c_type(d), c_binary(a, ">>", k)) : c_binary(a, ">>", k);
  if (d == DType::U32 || d == DType::U64) return c_binary(a, "<<", k);
  return c_cast(e.c_type(d), c_binary(c_cast(e.c_type(unsigned_of(bits_of(d) < 32 ? 32 : bits_of(d))), a), "<<", k));
}

CExpr fused(Emitter& e, DType d, const std::vector<CExpr>& a) {
  if (const IsaRow* row = is_float(d) ? e.isa.row("fma", d, 1) : nullptr) return c_row(row->spelling, a);
  if (is_float(d)) return c_binary(c_binary(a[0], "*", a[1]), "+", a[2]);
  TENON_CHECK(is_int(d), "fma of {}", name_of(d));
  return wrap_binary(e, "+", d, wrap_binary(e, "*", d, a[0], a[1]), a[2]);
}

/// Operations without a C operator: a row of the level, or a small function.
CExpr named(Emitter& e, const ScalarOpRow& row, DType d, const std::vector<CExpr>& a) {
  if (const IsaRow* r = e.isa.row(row.name, d, 1)) return c_row(r->spelling, a);
  if (row.has('M') && is_float(d)) return call_math(e, row.op, {d, 1, 0}, a);
  return call_scalar_piece(e, row.name, d, a);
}

bool adds(ScalarOp op) {
  return op == ScalarOp::Add || op == ScalarOp::Sub || op == ScalarOp::Mul || op == ScalarOp::Neg;
}

constexpr double kAny = 0x1p64, kWraps = 0x1p63;

/// A bound of the result of an operation on i64.
double magnitude_of(const Emitter& e, const VApply& a) {
  const auto of = [&](std::size_t k) { return e.magnitude(a.args[k]); };
  switch (a.op) {
    case ScalarOp::Cast: {
      const DType from = a.args[0]->type.dtype;
      return from == DType::Bool ? 1 : is_int(from) && bits_of(from) < 64 ? std::exp2(bits_of(from)) : kAny;
    }
    case ScalarOp::Neg:
    case ScalarOp::FloorDiv: return of(0);
    case ScalarOp::Add:
    case ScalarOp::Sub: return of(0) + of(1);
    case ScalarOp::Mul: return of(0) * of(1);
    case ScalarOp::Mod: return of(1);
    case ScalarOp::Min:
    case ScalarOp::Max: return std::max(of(0), of(1));
    default: return kAny;
  }
}

/// Whether it is x < 0 ? x + D : x.
bool counted_from_end(const Emitter& e, const VSelect& s) {
  const auto* below = std::get_if<VApply>(&s.cond->node);
  const auto* sum = std::get_if<VApply>(&s.yes->node);
  return below && below->op == ScalarOp::Lt && constant_value(below->args[1]) == 0 && sum && sum->op == ScalarOp::Add &&
         e.nonnegative(sum->args[1]) && to_text(sum->args[0]) == to_text(s.no) &&
         to_text(below->args[0]) == to_text(s.no);
}

bool may_overflow_in(const Emitter& e, const VApply& a) {
  if (adds(a.op) && magnitude_of(e, a) >= kWraps) return true;
  return any_of(a.args, [&](const Operand& x) { return e.may_overflow(x); });
}

/// Sums, products and comparisons of indices: plain operators, because indices do not overflow.
bool of_indices(const Emitter& e, const VApply& n) {
  return (adds(n.op) || is_comparison(n.op)) &&
         all_of(n.args, [&](const Operand& x) { return e.is_index(x, Attributes::limited); }) &&
         (all_of(n.args, [&](const Operand& x) { return e.is_index(x, Attributes::alone); }) || !may_overflow_in(e, n));
}

/// Whether a sum or product has a term or factor that the expansion has marked by a conversion from u64.
bool has_unsigned(const Operand& x) {
  const auto* a = std::get_if<VApply>(&x->node);
  if (!a || x->type != OperandType{}) return false;
  return adds(a->op) ? any_of(a->args, has_unsigned) : a->op == ScalarOp::Cast && a->args[0]->type.dtype == DType::U64;
}

/// The index itself is proved to be in its dim unless it is marked. Nothing is proved about operands of `%`, `clamp` or
/// bit operations in it.
bool of_unbounded_data(const Emitter& e, const VApply& n) {
  return any_of(n.args, [&](const Operand& x) { return adds(n.op) ? has_unsigned(x) : e.may_overflow(x); });
}

/// Folds x+0, x-0, x*1 and x*0 on indices; null if none of them applies.
Operand left_of(const Emitter& e, const VApply& n) {
  if (n.op != ScalarOp::Add && n.op != ScalarOp::Sub && n.op != ScalarOp::Mul) return nullptr;
  const int64_t idle = n.op == ScalarOp::Mul ? 1 : 0;
  if (e.known(n.args[1]) == idle) return n.args[0];
  if (n.op != ScalarOp::Sub && e.known(n.args[0]) == idle) return n.args[1];
  const bool nothing = n.op == ScalarOp::Mul && (e.known(n.args[0]) == 0 || e.known(n.args[1]) == 0);
  return nothing ? v_int(0) : nullptr;
}

/// The sum of two indices: i + (j + k) without its parentheses, which is the same number.
CExpr index_sum(CExpr left, CExpr right) {
  if (const auto* negated = std::get_if<CUnary>(&right->node); negated && negated->op == "-")
    return c_binary(std::move(left), "-", negated->operand);
  const auto* inner = std::get_if<CBinary>(&right->node);
  if (!inner || (inner->op != "+" && inner->op != "-")) return c_binary(std::move(left), "+", std::move(right));
  return c_binary(index_sum(std::move(left), inner->left), inner->op, inner->right);
}

}  // namespace

/// A rough one: memory bounds indices and their products, calls limit attributes that are parts of indices, and data
/// may have any value of their type.
double Emitter::magnitude(const Operand& v) const {
  if (const auto c = known(v)) return std::abs(static_cast<double>(*c));
  if (is_index(v, Attributes::alone)) return kUsualMemory;
  if (const auto* s = std::get_if<VSize>(&v->node)) return static_cast<double>(most_of(number_named(s->name)->limit));
  if (const auto* var = std::get_if<VVar>(&v->node); var && is_index(v, Attributes::all)) return lookup(var->name).most;
  if (const auto* s = std::get_if<VSelect>(&v->node)) return std::max(magnitude(s->yes), magnitude(s->no));
  const auto* a = std::get_if<VApply>(&v->node);
  return a ? magnitude_of(*this, *a) : kAny;
}

bool Emitter::may_overflow(const Operand& v) const {
  if (is_bounded || v->type != OperandType{} || is_index(v, Attributes::alone)) return false;
  if (const auto* s = std::get_if<VSelect>(&v->node))
    return may_overflow(counted_from_end(*this, *s) ? s->no : s->yes) || may_overflow(s->no);
  const auto* a = std::get_if<VApply>(&v->node);
  return a && may_overflow_in(*this, *a);
}

CExpr apply_scalar(Emitter& e, const OperandNode& node, const VApply& n) {
  const DType d = n.args[0]->type.dtype;
  const ScalarOpRow& row = scalar_op_row(n.op);
  if (e.in_index() && d == DType::I64 && of_unbounded_data(e, n)) return e.as_data(node);
  if (n.op == ScalarOp::Min || n.op == ScalarOp::Max) return extremum(e, node, n);
  if (n.op == ScalarOp::Imag && !is_complex(d)) return literal(e, VConst{}, node.type);
  // Inside an index too, values of other types are data and wrap.
  const bool plain = d == DType::I64 && (e.in_index() || of_indices(e, n));
  if (const Operand left = plain ? left_of(e, n) : nullptr) return e.index(left);
  const bool compared = d == DType::I64 && is_comparison(n.op);  // a constant there needs no suffix
  std::vector<CExpr> a;
  for (const Operand& x : n.args)
    a.push_back(plain || (compared && std::holds_alternative<VConst>(x->node)) ? e.index(x) : e.operand(x));
  const std::string_view op = row.c_sign;
  switch (n.op) {
    case ScalarOp::Add:
    case ScalarOp::Sub:
    case ScalarOp::Mul:
      if (is_complex(d)) return call_scalar_piece(e, row.name, d, a);
      if (plain && e.is_measuring && n.op == ScalarOp::Mul) return c_call(e.options.prefix + "_rt_bytes_times", a);
      if (plain && n.op == ScalarOp::Add) return index_sum(a[0], a[1]);
      if (plain && n.op == ScalarOp::Sub && e.known(n.args[0]) == 0) return negate(e, d, a[1], plain);
      if (is_float(d) || plain) return c_binary(a[0], op, a[1]);
      return wrap_binary(e, op, d, a[0], a[1]);
    case ScalarOp::Div:
      if (is_complex(d)) return call_scalar_piece(e, row.name, d, a);
      TENON_CHECK(is_float(d), "division of {}", name_of(d));
      return c_binary(a[0], op, a[1]);
    case ScalarOp::Eq:
    case ScalarOp::Ne:
      if (is_complex(d)) return call_scalar_piece(e, row.name, d, a);
      return c_binary(a[0], op, a[1]);
    case ScalarOp::Lt:
    case ScalarOp::Le:
    case ScalarOp::Gt:
    case ScalarOp::Ge:
    case ScalarOp::And:
    case ScalarOp::Or: return c_binary(a[0], op, a[1]);
    case ScalarOp::BitAnd:
    case ScalarOp::BitOr:
    case ScalarOp::BitXor: {
      const CExpr r = c_binary(a[0], op, a[1]);
      return narrow(d) ? c_cast(e.c_type(d), r) : r;
    }
    case ScalarOp::Not: return c_unary("!", a[0]);
    case ScalarOp::BitNot: return narrow(d) ? c_cast(e.c_type(d), c_unary("~", a[0])) : c_unary("~", a[0]);
    case ScalarOp::Neg: return is_complex(d) ? call_scalar_piece(e, row.name, d, a) : negate(e, d, a[0], plain);
    case ScalarOp::Sq:
      if (is_complex(d)) return call_scalar_piece(e, "mul", d, {a[0], a[0]});
      if (!is_simple(a[0])) return call_scalar_piece(e, "sq", d, a);
      return is_float(d) ? c_binary(a[0], "*", a[0]) : wrap_binary(e, "*", d, a[0], a[0]);
    case ScalarOp::FloorDiv:
    case ScalarOp::Mod: return divide(e, node, n, a[0], a[1]);
    case ScalarOp::Shl:
    case ScalarOp::Shr: return shift(e, node, n, a[0], a[1]);
    case ScalarOp::Fma:
      if (is_complex(d)) return call_scalar_piece(e, "add", d, {call_scalar_piece(e, "mul", d, {a[0], a[1]}), a[2]});
      return fused(e, d, a);
    case ScalarOp::Real:
    case ScalarOp::Imag: return is_complex(d) ? c_member(a[0], n.op == ScalarOp::Real ? "re" : "im") : a[0];
    case ScalarOp::Conj: return is_complex(d) ? call_scalar_piece(e, row.name, d, a) : a[0];
    case ScalarOp::Complex: return c_braces(e.c_type(node.type), a);
    case ScalarOp::IsNan:
      if (is_simple(a[0]) && !is_complex(d)) return c_binary(a[0], "!=", a[0]);
      return call_scalar_piece(e, row.name, d, a);
    case ScalarOp::Philox: {
      for (size_t i = 0; i < a.size(); ++i)
        if (n.args[i]->type.dtype != DType::U64) a[i] = c_cast("uint64_t", a[i]);
      return call_scalar_piece(e, node.type.dtype == DType::U64 ? "philox_u64" : "philox_u32", DType::U64, a);
    }
    case ScalarOp::Arg:
      return is_complex(d)
                 ? call_math(e, ScalarOp::Atan2, {real_of(d), 1, 0}, {c_member(a[0], "im"), c_member(a[0], "re")})
                 : call_math(e, ScalarOp::Atan2, {d, 1, 0}, {literal(e, VConst{}, {d, 1, 0}), a[0]});
    default: return named(e, row, d, a);
  }
}

}  // namespace tenon::emit
