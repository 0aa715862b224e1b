// What vectors do across lanes: splats, ramps, selects, folds, shuffles.
#include "emit/emitter.h"
#include "ir/kernel/expr.h"
#include "support/check.h"

namespace tenon::emit {
namespace {

std::vector<int> half(int lanes, bool high) {
  std::vector<int> pick;
  for (int l = 0; l < lanes / 2; ++l) pick.push_back(l + (high ? lanes / 2 : 0));
  return pick;
}

/// Each lane from the one `step` lanes above.
std::vector<int> rotated(int lanes, int step) {
  std::vector<int> pick;
  for (int l = 0; l < lanes; ++l) pick.push_back((l + step) % lanes);
  return pick;
}

CExpr compared(Emitter& e, const VApply& compare, bool negated) {
  const OperandType& t = compare.args[0]->type;
  const bool equality = compare.op == ScalarOp::Eq || compare.op == ScalarOp::Ne;
  const bool inverts = negated && (is_int(t.dtype) || equality);
  const std::string key = (negated && !inverts ? "mask_no_" : "mask_") +
                          std::string(scalar_op_row(inverts ? *opposite(compare.op) : compare.op).name);
  const IsaRow* row = e.isa.row(key, t.dtype, t.lanes);
  return row ? c_row(row->spelling, {e.operand(compare.args[0]), e.operand(compare.args[1])}) : nullptr;
}

/// A condition made of comparisons, or what it excludes, in a mask register; null where the level has none, or `m` is
/// made of something else.
CExpr mask_register(Emitter& e, const Operand& m, bool negated = false) {
  const auto* a = std::get_if<VApply>(&m->node);
  if (!a) return nullptr;
  if (a->op == ScalarOp::Not) return mask_register(e, a->args[0], !negated);
  if (is_comparison(a->op)) return compared(e, *a, negated);
  if (a->op != ScalarOp::And && a->op != ScalarOp::Or) return nullptr;
  const DType bits = signed_of(m->type.mask_bits);
  const IsaRow* row = e.isa.row((a->op == ScalarOp::And) != negated ? "mask_and" : "mask_or", bits, m->type.lanes);
  if (!row) return nullptr;
  std::vector<CExpr> sides;
  bool compares = false;
  for (const Operand& side : a->args) {
    sides.push_back(mask_register(e, side, negated));
    compares = compares || sides.back();
  }
  if (!compares) return nullptr;
  for (size_t i = 0; i < sides.size(); ++i)
    if (!sides[i]) {
      const OperandType& t = a->args[i]->type;
      const IsaRow* moved = e.isa.row("mask", signed_of(t.mask_bits), t.lanes);
      if (!moved) return nullptr;
      const CExpr side = e.operand(a->args[i]);
      sides[i] = c_row(moved->spelling, {negated ? c_unary("~", side) : side});
    }
  return c_row(row->spelling, std::move(sides));
}

bool is_bits(DType d) { return is_half(d) || is_small(d); }
DType bits_type(DType d) { return is_small(d) ? DType::U8 : DType::U16; }

/// An arm of `c ? a : b`; both arms must have exactly the same type.
CExpr arm_of(Emitter& e, const OperandType& t, const Operand& v) {
  CExpr arm = e.operand(v);
  const auto* cast = std::get_if<CCast>(&arm->node);
  const auto* literal = std::get_if<CBraces>(&arm->node);
  const bool typed = (cast && cast->type == e.c_type(t)) || (literal && literal->type == e.c_type(t));
  return typed ? arm : c_cast(e.c_type(t), std::move(arm));
}

/// The number of lanes that `mask` selects, from the first one on; null where it is no such mask.
Operand first_lanes(const Operand& mask) {
  const auto* below = std::get_if<VApply>(&mask->node);
  if (!below || below->op != ScalarOp::Lt) return nullptr;
  const auto* ramp = std::get_if<VRamp>(&below->args[0]->node);
  const auto* end = std::get_if<VSplat>(&below->args[1]->node);
  if (!ramp || !end || constant_value(ramp->base) != 0) return nullptr;
  const auto* cast = std::get_if<VApply>(&end->scalar->node);
  const Operand count = cast && cast->op == ScalarOp::Cast ? cast->args[0] : end->scalar;
  return count->type.dtype == DType::I64 ? count : nullptr;
}

CExpr select_by_mask(Emitter& e, const OperandType& t, const VSelect& n);

/// `a` lanes of `b`, the others of `c`.
CExpr select_first(Emitter& e, const OperandType& t, const Operand& count, const VSelect& n) {
  const OperandType index{DType::I64, 1, 0};
  const Piece piece{"select_first", t, t, {index, t, t}, "the first a lanes of b, the other lanes of c"};
  return call_piece(e, piece, {e.index(count), e.operand(n.yes), e.operand(n.no)}, [&](Emitter& in, CBlock& body) {
    const DType lane = std::get<VApply>(n.cond->node).args[0]->type.dtype;
    const Operand mask =
        v_apply(ScalarOp::Lt, {v_ramp(v_int(0, lane), t.lanes), v_splat(v_cast(v_var("a", index), lane), t.lanes)});
    body.push_back(c_return(select_by_mask(in, t, {mask, v_var("b", t), v_var("c", t)})));
  });
}

CExpr select_vector(Emitter& e, const OperandType& t, const VSelect& n) {
  if (const auto* same = std::get_if<VSplat>(&n.cond->node); same && t.dtype != DType::Bool) {
    CExpr cond = e.operand(same->scalar), yes = arm_of(e, t, n.yes);
    return c_conditional(std::move(cond), std::move(yes), arm_of(e, t, n.no));
  }
  if (const Operand count = t.dtype == DType::Bool ? nullptr : first_lanes(n.cond)) return select_first(e, t, count, n);
  return select_by_mask(e, t, n);
}

/// The mask `a` of numbers of 128 bits, whose elements have 64, with each element twice.
CExpr doubled(int lanes) {
  std::vector<CExpr> args(2, c_text("a"));
  for (int l = 0; l < 2 * lanes; ++l) args.push_back(c_number(l / 2));
  return c_call("__builtin_shufflevector", std::move(args));
}

CExpr select_by_mask(Emitter& e, const OperandType& t, const VSelect& n) {
  const bool number = is_float(t.dtype) && !is_bits(t.dtype);
  const int bits = t.dtype == DType::Bool ? t.mask_bits : std::min(bits_of(t.dtype), 64);
  const DType row_type = t.dtype == DType::Bool ? signed_of(bits) : is_bits(t.dtype) ? bits_type(t.dtype) : t.dtype;
  if (const IsaRow* row = e.isa.row("select_by", row_type, t.lanes)) {
    if (CExpr in_register = mask_register(e, n.cond)) {
      CExpr r = c_row(row->spelling, {std::move(in_register), e.operand(n.yes), e.operand(n.no)});
      return number ? r : c_cast(e.c_type(t), r);
    }
  }
  const CExpr m = mask_of_width(e, n.cond, bits), yes = e.operand(n.yes), no = e.operand(n.no);
  if (const IsaRow* row = e.isa.row("select", row_type, t.lanes)) {
    CExpr r = c_row(row->spelling, {m, yes, no});
    return number ? r : c_cast(e.c_type(t), r);
  }
  const OperandType mask{DType::Bool, t.lanes, bits};
  return call_piece(e, Piece{"select", t, t, {mask, t, t}}, {m, yes, no}, [&](Emitter& in, CBlock& body) {
    const bool is_double = bits_of(t.dtype) > 64;
    const std::string i = is_double ? in.vector_type(DType::I64, 2 * t.lanes) : in.c_type(mask), u = in.c_type(t);
    const CExpr a = c_text(is_double ? "both" : "a");
    if (is_double) body.push_back(c_declare("const " + i, "both", doubled(t.lanes)));
    const CExpr bits_of_yes = number || u != i ? c_cast(i, c_text("b")) : c_text("b"),
                bits_of_no = number || u != i ? c_cast(i, c_text("c")) : c_text("c");
    CExpr r = c_binary(c_binary(a, "&", bits_of_yes), "|", c_binary(c_unary("~", a), "&", bits_of_no));
    body.push_back(c_return(u == i ? r : c_cast(u, r)));
  });
}

}  // namespace

CExpr splat_value(Emitter& e, CExpr scalar, const OperandType& t) {
  if (t.dtype == DType::Bool) {
    const OperandType mask{DType::Bool, t.lanes, t.mask_bits};
    return call_piece(
        e, Piece{"splat", mask, mask, {OperandType{DType::Bool, 1, 0}}}, {scalar}, [&](Emitter& in, CBlock& body) {
          body.push_back(c_declare("const " + in.c_type(signed_of(t.mask_bits)), "m",
                                   c_conditional(c_text("a"), c_text("-1"), c_text("0"))));
          body.push_back(
              c_return(c_braces(in.c_type(mask), std::vector<CExpr>(static_cast<size_t>(t.lanes), c_text("m")))));
        });
  }
  const DType d = is_bits(t.dtype) ? bits_type(t.dtype) : t.dtype;
  if (const IsaRow* row = e.isa.row("splat", d, t.lanes)) {
    CExpr r = c_row(row->spelling, {scalar});
    return is_float(d) ? r : c_cast(e.c_type(t), r);
  }
  if (t.lanes <= 4 && is_simple(scalar) && !is_complex(d))
    return c_braces(e.c_type(t), std::vector<CExpr>(static_cast<size_t>(t.lanes), scalar));
  const OperandType one{d, 1, 0};
  return call_piece(e, Piece{"splat", t, t, {one}}, {scalar}, [&](Emitter& in, CBlock& body) {
    std::vector<CExpr> lanes(static_cast<size_t>(t.lanes), c_text("a"));
    if (is_complex(d)) lanes = complex_lanes(lanes);
    body.push_back(c_return(c_braces(in.c_type(t), std::move(lanes))));
  });
}

CExpr ramp_value(Emitter& e, const OperandNode& node, const VRamp& n) {
  const OperandType& t = node.type;
  if (t.lanes == 1) return e.operand(n.base);
  std::vector<CExpr> steps;
  for (int l = 0; l < t.lanes; ++l) steps.push_back(c_text(std::to_string(l)));
  const bool may_wrap = t.dtype == DType::I64 && !e.is_index(n.base, Attributes::limited);
  const CExpr ramp = c_braces(may_wrap ? e.vector_type(DType::U64, t.lanes) : e.c_type(t), std::move(steps));
  if (may_wrap) return c_cast(e.c_type(t), c_binary(c_cast("uint64_t", e.operand(n.base)), "+", ramp));
  if (constant_value(n.base) == 0) return ramp;
  if (t.dtype == DType::I64 || is_float(t.dtype)) return c_binary(e.operand(n.base), "+", ramp);
  return c_binary(splat_value(e, e.operand(n.base), t), "+", ramp);
}

CExpr select_value(Emitter& e, const OperandNode& node, const VSelect& n) {
  if (node.type.lanes > 1) return select_vector(e, node.type, n);
  CExpr r = c_conditional(e.operand(n.cond), e.operand(n.yes), e.operand(n.no));
  const DType d = node.type.dtype;
  return (is_int(d) && bits_of(d) < 32) || is_bits(d) ? c_cast(e.c_type(node.type), r) : r;
}

CExpr fold_value(Emitter& e, const OperandNode& node, const VFold& n) {
  const OperandType from = n.vector->type;
  if (is_complex(from.dtype)) return complex_total(e, from, e.operand(n.vector));
  const ScalarOp op = step_of(n.op);
  if (from.dtype == DType::Bool && n.op == Reducer::Any)
    if (const CExpr in_register = mask_register(e, n.vector)) return c_binary(in_register, "!=", c_text("0"));
  const CExpr v = e.operand(n.vector);
  if (from.dtype == DType::Bool && n.op == Reducer::Any)
    if (const IsaRow* row = e.isa.row("any", signed_of(from.mask_bits), from.lanes))
      return c_binary(c_row(row->spelling, {v}), "!=", c_text("0"));
  const std::string name = "fold_" + std::string(name_of(n.op));
  return call_piece(e, Piece{name, from, node.type, {from}}, {v}, [&](Emitter& in, CBlock& body) {
    OperandType t = from;
    std::string last = "a";
    Block steps;
    // Vectors narrower than 128 bits are shuffled inside a 128-bit register; otherwise compilers split them into scalar
    // code.
    constexpr int kRegister = 128;
    const bool rotates = t.dtype != DType::Bool && t.lanes > 2 && t.lanes * bits_of(t.dtype) >= kRegister;
    while (t.lanes > 2 && (!rotates || t.lanes * bits_of(t.dtype) > kRegister)) {
      const Operand whole = v_var(last, t);
      t.lanes /= 2;
      last = "by_" + std::to_string(t.lanes);
      steps.push_back(s_let(last, v_apply(op, {v_shuffle(whole, whole, half(t.lanes * 2, false)),
                                               v_shuffle(whole, whole, half(t.lanes * 2, true))})));
    }
    for (int step = rotates ? t.lanes / 2 : 0; step > 0; step /= 2) {
      const Operand whole = v_var(last, t);
      last = "by_" + std::to_string(step);
      steps.push_back(s_let(last, v_apply(op, {whole, v_shuffle(whole, whole, rotated(t.lanes, step))})));
    }
    in.block(steps, body);
    if (rotates) {
      body.push_back(c_return(in.operand(v_lane(v_var(last, t), 0))));
      return;
    }
    const Operand pair = v_var(last, t);
    in.block({s_let("low", v_lane(pair, 0)), s_let("high", v_lane(pair, 1))}, body);
    const OperandType one{t.dtype, 1, 0};
    body.push_back(c_return(in.operand(v_apply(op, {v_var("low", one), v_var("high", one)}))));
  });
}

CExpr shuffle_value(Emitter& e, const OperandNode&, const VShuffle& n) {
  std::vector<CExpr> args = {e.operand(n.a), e.operand(n.b)};
  const int halves = is_complex(n.a->type.dtype) ? 2 : 1;
  for (const int p : n.pick)
    for (int half = 0; half < halves; ++half) args.push_back(c_text(std::to_string(halves * p + half)));
  return c_call("__builtin_shufflevector", std::move(args));
}

/// The table is in two registers.
CExpr lookup_value(Emitter& e, const OperandNode& node, const VLookup& n) {
  const OperandType& t = node.type;
  const IsaRow* row = e.isa.row("lookup", t.dtype, t.lanes);
  TENON_CHECK(row != nullptr, "{} has no tables of {}", e.isa.name, type_tag(t));
  const int half = static_cast<int>(n.table.size()) / 2;
  const auto literals = [&](int first) {
    std::vector<CExpr> entries;
    for (int i = first; i < first + half; ++i)
      entries.push_back(literal(e, VConst{0, n.table[static_cast<size_t>(i)]}, {t.dtype, 1, 0}));
    return c_braces(e.vector_type(t.dtype, half), std::move(entries));
  };
  return c_row(row->spelling, {e.operand(n.index), literals(0), literals(half)});
}

}  // namespace tenon::emit
