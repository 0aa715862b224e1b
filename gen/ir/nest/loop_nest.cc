// Building values and statements of loop nests; integer arithmetic on constants folds on the way.
#include "ir/nest/loop_nest.h"

#include "support/check.h"

namespace tenon {
namespace {

template <class T>
Operand make(OperandType type, T node) {
  return Operand::made(type, std::move(node));
}

OperandType result_type(const ScalarOpRow& row, const OperandType& a) {
  switch (row.result) {
    case ResultRule::Same: return a;
    case ResultRule::Bool:
      return {DType::Bool, a.lanes, a.lanes > 1 ? (a.dtype == DType::Bool ? a.mask_bits : dtype_row(a.dtype).bits) : 0};
    case ResultRule::Real: return {real_of(a.dtype), a.lanes, 0};
    case ResultRule::Explicit: break;
  }
  TENON_CHECK(false, "{} needs an explicit type", row.name);
  return a;
}

/// The scalar that fills a vector of i64; null if there is none.
Operand filled_with(const Operand& v) {
  const auto* s = std::get_if<VSplat>(&v->node);
  if (s) return s->scalar;
  const auto c = constant_value(v);
  return c ? v_int(*c) : nullptr;
}

/// The sum or difference of a ramp of i64 and a splat: a ramp with another base. Null for other arguments.
Operand moved_ramp(ScalarOp op, const Few<Operand>& args) {
  if (args.size() != 2 || args[0]->type.dtype != DType::I64 || args[0]->type.lanes == 1 ||
      (op != ScalarOp::Add && op != ScalarOp::Sub))
    return nullptr;
  const auto *a = std::get_if<VRamp>(&args[0]->node), *b = std::get_if<VRamp>(&args[1]->node);
  const Operand by = a ? filled_with(args[1]) : b && op == ScalarOp::Add ? filled_with(args[0]) : nullptr;
  if (!by) return nullptr;
  return v_ramp(a ? v_apply(op, {a->base, by}) : v_apply(op, {by, b->base}), args[0]->type.lanes);
}

}  // namespace

Operand v_int(int64_t v, DType type) { return make({type, 1, 0}, VConst{v, static_cast<double>(v)}); }
Operand v_const(double v, OperandType type) {
  const Expr c = constant_of(v, type.dtype);
  return v_constant(*as_constant(c), type);
}
Operand v_constant(const Constant& c, OperandType type) { return make(type, VConst{c.i, c.f}); }
Operand v_var(std::string name, OperandType type) { return make(type, VVar{std::move(name)}); }
Operand v_size(std::string name) { return make({}, VSize{std::move(name)}); }
Operand v_attr(std::string name, DType type, int element) {
  return make({type, 1, 0}, VAttr{std::move(name), element});
}
Operand v_load(int buffer, DType storage, Operand offset, int lanes, Operand active) {
  return make({storage, lanes, lanes > 1 && storage == DType::Bool ? 8 : 0},
              VLoad{buffer, std::move(offset), std::move(active)});
}
Operand v_load_once(int buffer, DType storage, Operand offset, int lanes) {
  return make({storage, lanes, lanes > 1 && storage == DType::Bool ? 8 : 0},
              VLoad{buffer, std::move(offset), nullptr, true});
}
Operand v_gather(DType storage, int lanes, VGather from) {
  return make({storage, lanes, lanes > 1 && storage == DType::Bool ? 8 : 0}, std::move(from));
}
Operand v_apply(ScalarOp op, Few<Operand> args) {
  if (args.size() == 2 && is_i64_scalar(args[0]) && is_i64_scalar(args[1])) {
    const auto a = constant_value(args[0]), b = constant_value(args[1]);
    if (a && b) {
      if (const auto r = compute(op, *a, *b)) return v_int(*r);
      if (const auto r = compare(op, *a, *b)) return v_int(*r, DType::Bool);
    }
  }
  if (const auto* a = op == ScalarOp::Not ? std::get_if<VApply>(&args[0]->node) : nullptr)
    if (const auto other = opposite(a->op); other && is_i64_scalar(a->args[0])) return v_apply(*other, a->args);
  if ((op == ScalarOp::And || op == ScalarOp::Or) && args[0]->type.lanes == 1 && args[1]->type.lanes == 1) {
    const auto a = constant_value(args[0]), b = constant_value(args[1]);
    if (a) return (*a != 0) == (op == ScalarOp::And) ? args[1] : args[0];
    if (b) return (*b != 0) == (op == ScalarOp::And) ? args[0] : args[1];
  }
  if (Operand ramp = moved_ramp(op, args)) return ramp;
  const OperandType t = result_type(scalar_op_row(op), args[0]->type);
  return make(t, VApply{op, std::move(args)});
}
Operand v_apply_as(ScalarOp op, Few<Operand> args, OperandType type) { return make(type, VApply{op, std::move(args)}); }
Operand v_cast(Operand v, DType type) {
  if (v->type.dtype == type) return v;
  const OperandType t{type, v->type.lanes,
                      v->type.lanes > 1 && type == DType::Bool ? dtype_row(v->type.dtype).bits : 0};
  return v_apply_as(ScalarOp::Cast, {std::move(v)}, t);
}
Operand v_select(Operand cond, Operand yes, Operand no) {
  TENON_CHECK(yes->type == no->type && cond->type.dtype == DType::Bool && cond->type.lanes == yes->type.lanes,
              "select with arms of two types");
  if (const auto c = constant_value(cond)) return *c != 0 ? yes : no;
  const std::optional<int64_t> chosen = constant_value(yes);
  if (chosen && chosen == constant_value(no)) return yes;
  const OperandType t = yes->type;
  return make(t, VSelect{std::move(cond), std::move(yes), std::move(no)});
}
Operand v_splat(Operand scalar, int lanes) {
  if (lanes == 1) return scalar;
  const OperandType t{scalar->type.dtype, lanes, scalar->type.dtype == DType::Bool ? 8 : 0};
  if (const auto* c = std::get_if<VConst>(&scalar->node)) return make(t, VConst{*c});
  return make(t, VSplat{std::move(scalar)});
}
Operand v_ramp(Operand base, int lanes) {
  const OperandType t{base->type.dtype, lanes, 0};
  return make(t, VRamp{std::move(base)});
}
Operand v_fold(Reducer op, Operand vector) {
  const OperandType t{vector->type.dtype, 1, 0};
  return make(t, VFold{op, std::move(vector)});
}
Operand v_lane(Operand vector, int lane) {
  const OperandType t{vector->type.dtype, 1, 0};
  return make(t, VLane{std::move(vector), lane});
}
Operand v_shuffle(Operand a, Operand b, std::vector<int> pick) {
  OperandType t = a->type;
  t.lanes = static_cast<int>(pick.size());
  return make(t, VShuffle{std::move(a), std::move(b), std::move(pick)});
}
std::vector<int> even_elements(int lanes, int distance) {
  std::vector<int> pick;
  for (int l = 0; l < lanes; ++l) pick.push_back(l < lanes / 2 ? 2 * l : 2 * l + lanes - distance);
  return pick;
}
Operand v_lookup(Operand index, std::vector<double> table, OperandType type) {
  return make(type, VLookup{std::move(index), std::move(table)});
}

std::optional<int64_t> constant_value(const Operand& v) {
  const auto* c = v ? std::get_if<VConst>(&v->node) : nullptr;
  if (!c || holds_reals(v->type.dtype)) return std::nullopt;
  return c->i;
}

Operand operator+(const Operand& a, const Operand& b) {
  if (is_i64_scalar(a) && constant_value(a) == 0) return b;
  if (is_i64_scalar(b) && constant_value(b) == 0) return a;
  return v_apply(ScalarOp::Add, {a, b});
}
Operand operator-(const Operand& a, const Operand& b) {
  if (is_i64_scalar(b) && constant_value(b) == 0) return a;
  return v_apply(ScalarOp::Sub, {a, b});
}
Operand operator*(const Operand& a, const Operand& b) {
  if (is_i64_scalar(a) && is_i64_scalar(b)) {
    if (constant_value(a) == 1) return b;
    if (constant_value(b) == 1) return a;
    if (constant_value(a) == 0) return a;
    if (constant_value(b) == 0) return b;
  }
  return v_apply(ScalarOp::Mul, {a, b});
}

Stmt s_let(std::string name, Operand value) { return {SLet{std::move(name), std::move(value)}}; }
Stmt s_count(std::string name, Operand value) { return {SLet{std::move(name), std::move(value), false, false, true}}; }
Stmt s_var(std::string name, Operand init) { return {SVar{std::move(name), std::move(init)}}; }
Stmt s_assign(std::string name, Operand value) { return {SAssign{std::move(name), std::move(value)}}; }
Stmt s_store(int buffer, Operand offset, Operand value, Operand active) {
  return {SStore{buffer, std::move(offset), std::move(value), std::move(active)}};
}
Stmt s_for(std::string var, Operand begin, Operand end, int64_t step, Block body) {
  return {SFor{std::move(var), std::move(begin), std::move(end), step, LoopKind::Serial,
               std::make_shared<const Block>(std::move(body))}};
}
Stmt with_kind(LoopKind kind, Stmt loop) {
  std::get<SFor>(loop.node).kind = kind;
  return loop;
}
Stmt s_if(Operand cond, Block then, Block otherwise) {
  auto no = otherwise.empty() ? nullptr : std::make_shared<const Block>(std::move(otherwise));
  return {SIf{std::move(cond), std::make_shared<const Block>(std::move(then)), std::move(no)}};
}
Stmt s_comment(std::string text) { return {SComment{std::move(text)}}; }

bool is_leaf(const Operand& v) {
  return std::holds_alternative<VConst>(v->node) || std::holds_alternative<VVar>(v->node) ||
         std::holds_alternative<VSize>(v->node) || std::holds_alternative<VAttr>(v->node);
}

template <class Node>
static void for_given_operands(const Node& node, FunctionRef<void(const Operand&)> f) {
  const auto given = [&](const Operand& c) {
    if (c) f(c);
  };
  std::visit([&](const auto& n) { for_operands(n, given); }, node);
}
void each_child(const Operand& v, FunctionRef<void(const Operand&)> f) { for_given_operands(v->node, f); }
void each_operand(const Stmt& s, FunctionRef<void(const Operand&)> f) { for_given_operands(s.node, f); }

Operand map_children(const Operand& v, FunctionRef<Operand(const Operand&)> f) {
  Few<Operand> made;
  bool changed = false;
  each_child(v, [&](const Operand& c) {
    made.push_back(f(c));
    changed = changed || made.back() != c;
  });
  if (!changed) return v;
  auto node = v->node;
  size_t next = 0;
  const auto put = [&](Operand& c) {
    if (c) c = std::move(made[next++]);
  };
  std::visit([&](auto& n) { for_operands(n, put); }, node);
  return Operand::made(v->type, std::move(node));
}

void each_block(const Stmt& s, FunctionRef<void(const Block&)> f) {
  if (const auto* loop = std::get_if<SFor>(&s.node)) f(*loop->body);
  const auto* fork = std::get_if<SIf>(&s.node);
  if (fork && fork->then) f(*fork->then);
  if (fork && fork->otherwise) f(*fork->otherwise);
}

void map_blocks(Stmt& s, FunctionRef<Block(const Block&)> f) {
  const auto change = [&](std::shared_ptr<const Block>& b) {
    if (b) b = std::make_shared<const Block>(f(*b));
  };
  if (auto* loop = std::get_if<SFor>(&s.node)) change(loop->body);
  if (auto* fork = std::get_if<SIf>(&s.node)) change(fork->then), change(fork->otherwise);
}

}  // namespace tenon
