// Building, comparing and walking expressions.
#include "ir/kernel/expr.h"

#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "support/check.h"
#include "support/pointer_map.h"
#include "support/ranges.h"

namespace tenon {
namespace {

template <class T>
Expr make_expr(DType type, T node) {
  return std::make_shared<const ExprNode>(ExprNode{type, std::move(node)});
}

DType result_type(const ScalarOpRow& row, const Few<Expr>& args) {
  switch (row.result) {
    case ResultRule::Same: return args[0]->type;
    case ResultRule::Bool: return DType::Bool;
    case ResultRule::Real: return real_of(args[0]->type);
    case ResultRule::Explicit: break;
  }
  TENON_CHECK(false, "{} needs an explicit type", row.name);
  return DType::I64;
}

bool same_all(std::span<const Expr> a, std::span<const Expr> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!same(a[i], b[i])) return false;
  return true;
}

bool same_opt(const Expr& a, const Expr& b) { return (!a && !b) || (a && b && same(a, b)); }

bool same_vars(const std::vector<LoopVar>& a, const std::vector<LoopVar>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].name != b[i].name || !same(a[i].extent, b[i].extent)) return false;
  return true;
}

bool same_number(const Constant& a, const Constant& b) {
  return a.i == b.i && (a.f == b.f ? std::signbit(a.f) == std::signbit(b.f) : std::isnan(a.f) && std::isnan(b.f));
}

struct SameNode {
  const ExprNode& other;
  bool operator()(const Constant& a) const { return same_number(a, std::get<Constant>(other.node)); }
  bool operator()(const VarRef& a) const { return a.name == std::get<VarRef>(other.node).name; }
  bool operator()(const SizeRef& a) const { return a.name == std::get<SizeRef>(other.node).name; }
  bool operator()(const AttrRef& a) const {
    const auto& b = std::get<AttrRef>(other.node);
    return a.name == b.name && a.element == b.element;
  }
  bool operator()(const Read& a) const {
    const auto& b = std::get<Read>(other.node);
    return a.tensor == b.tensor && same_all(a.index, b.index) && same_opt(a.fill, b.fill);
  }
  bool operator()(const Apply& a) const {
    const auto& b = std::get<Apply>(other.node);
    return a.op == b.op && same_all(a.args, b.args);
  }
  bool operator()(const Reduce& a) const {
    const auto& b = std::get<Reduce>(other.node);
    return a.op == b.op && same_vars(a.vars, b.vars) && same_opt(a.where, b.where) && same(a.value, b.value) &&
           same_opt(a.start, b.start) && a.running == b.running;
  }
  bool operator()(const Select& a) const {
    const auto& b = std::get<Select>(other.node);
    return same(a.cond, b.cond) && same(a.yes, b.yes) && same(a.no, b.no);
  }
};

}  // namespace

Expr constant_int(int64_t v, DType type) {
  if (holds_reals(type)) return constant_float(static_cast<double>(v), type);
  return make_expr(type, Constant{v, 0});
}
Expr constant_float(double v, DType type) { return make_expr(type, Constant{0, v}); }

Expr constant_of(double v, DType type) {
  if (holds_reals(type)) return constant_float(v, type);
  if (type == DType::Bool) return constant_int(v != 0, type);
  const int bits = dtype_row(type).bits;
  const double hi = std::ldexp(1.0, is_signed_int(type) ? bits - 1 : bits);
  const double lo = is_signed_int(type) ? -hi : 0.0;
  if (std::isnan(v)) return constant_int(0, type);
  if (v < lo) v = lo;
  if (v >= hi)
    return make_expr(type, Constant{is_signed_int(type) ? (bits == 64 ? std::numeric_limits<int64_t>::max()
                                                                      : (int64_t{1} << (bits - 1)) - 1)
                                                        : (bits == 64 ? -1 : (int64_t{1} << bits) - 1),
                                    0});
  if (type == DType::U64) return make_expr(type, Constant{static_cast<int64_t>(static_cast<uint64_t>(v)), 0});
  return make_expr(type, Constant{static_cast<int64_t>(v), 0});
}

Expr var_ref(std::string name) { return make_expr(DType::I64, VarRef{std::move(name)}); }
Expr size_ref(std::string name) { return make_expr(DType::I64, SizeRef{std::move(name)}); }
Expr attr_ref(std::string name, DType type, int element) { return make_expr(type, AttrRef{std::move(name), element}); }
Expr read_of(int tensor, DType storage, std::vector<Expr> index, Expr fill) {
  return make_expr(storage, Read{tensor, std::move(index), std::move(fill)});
}
Expr apply(ScalarOp op, Few<Expr> args) {
  const DType t = result_type(scalar_op_row(op), args);
  return make_expr(t, Apply{op, std::move(args)});
}
Expr apply_as(ScalarOp op, Few<Expr> args, DType type) { return make_expr(type, Apply{op, std::move(args)}); }
Expr cast_to(Expr e, DType type) {
  if (e->type == type) return e;
  return apply_as(ScalarOp::Cast, {std::move(e)}, type);
}
Expr stopped(Expr e) {
  const DType type = e->type;
  return apply_as(ScalarOp::Cast, {std::move(e)}, type);
}
bool is_stop(const Expr& e) {
  const auto* a = std::get_if<Apply>(&e->node);
  return a && a->op == ScalarOp::Cast && a->args.size() == 1 && a->args[0]->type == e->type;
}
Expr reduce(Reducer op, std::vector<LoopVar> vars, Expr where, Expr value, DType type) {
  return make_expr(type, Reduce{op, std::move(vars), std::move(where), std::move(value)});
}
Expr fold(std::vector<LoopVar> vars, Expr where, Expr value, Expr start, std::string running) {
  const DType type = start->type;
  return make_expr(type, Reduce{Reducer::Fold, std::move(vars), std::move(where), std::move(value), std::move(start),
                                std::move(running)});
}
Expr reduce_like(const Reduce& r, std::vector<LoopVar> vars, Expr where, Expr value, DType type) {
  return make_expr(type, Reduce{r.op, std::move(vars), std::move(where), std::move(value), r.start, r.running});
}
Expr running_ref(std::string name, DType type) { return make_expr(type, VarRef{std::move(name)}); }
Expr select(Expr cond, Expr yes, Expr no) {
  const DType t = yes->type;
  TENON_CHECK(cond->type == DType::Bool && no->type == t, "select of {} between {} and {}", name_of(cond->type),
              name_of(t), name_of(no->type));
  return make_expr(t, Select{std::move(cond), std::move(yes), std::move(no)});
}
Expr operator+(const Expr& a, const Expr& b) { return is_zero(a) ? b : is_zero(b) ? a : apply(ScalarOp::Add, {a, b}); }
Expr operator-(const Expr& a, const Expr& b) { return is_zero(b) ? a : apply(ScalarOp::Sub, {a, b}); }
Expr operator*(const Expr& a, const Expr& b) { return is_one(a) ? b : is_one(b) ? a : apply(ScalarOp::Mul, {a, b}); }

Expr both(const Expr& a, const Expr& b) { return !a ? b : !b ? a : apply(ScalarOp::And, {a, b}); }
Expr conjunction(const std::vector<Expr>& conditions) {
  Expr all;
  for (const Expr& c : conditions) all = both(all, c);
  return all;
}
std::vector<Expr> conjuncts(const Expr& e) {
  const Apply* a = as_apply(e, ScalarOp::And);
  if (!a) return {e};
  std::vector<Expr> out = conjuncts(a->args[0]);
  for (Expr& c : conjuncts(a->args[1])) out.push_back(std::move(c));
  return out;
}

bool is_leaf(const Expr& e) {
  return std::holds_alternative<Constant>(e->node) || std::holds_alternative<VarRef>(e->node) ||
         std::holds_alternative<SizeRef>(e->node) || std::holds_alternative<AttrRef>(e->node);
}

const Constant* as_constant(const Expr& e) { return e ? std::get_if<Constant>(&e->node) : nullptr; }
std::optional<int64_t> constant_value(const Expr& e) {
  const Constant* c = as_constant(e);
  if (!c || holds_reals(e->type)) return std::nullopt;
  return c->i;
}
const Apply* as_apply(const Expr& e, ScalarOp op) {
  const auto* a = std::get_if<Apply>(&e->node);
  return a && a->op == op ? a : nullptr;
}
bool is_zero(const Expr& e) {
  const auto v = constant_value(e);
  return v && *v == 0;
}
bool is_one(const Expr& e) {
  const auto v = constant_value(e);
  return v && *v == 1;
}

bool same(const Expr& a, const Expr& b) {
  if (a == b) return true;
  if (a->type != b->type || a->node.index() != b->node.index()) return false;
  return std::visit(SameNode{*b}, a->node);
}

bool mentions(const std::vector<Expr>& all, const std::string& var) {
  return any_of(all, [&](const Expr& e) { return mentions(e, var); });
}

bool mentions(const Expr& e, const std::string& var) {
  if (!e) return false;
  if (is_variable(e, var)) return true;
  bool found = false;
  each_child(e, [&](const Expr& c) { found = found || mentions(c, var); });
  return found;
}

constexpr std::string_view kReducerNames[] = {"sum",    "prod",   "max",     "min",    "any",     "all",
                                              "argmax", "argmin", "bit_xor", "bit_or", "bit_and", "fold"};
std::string_view name_of(Reducer r) { return kReducerNames[static_cast<size_t>(r)]; }
Reducer reducer_from_name(std::string_view name) {
  const auto at = std::find(std::begin(kReducerNames), std::end(kReducerNames), name);
  TENON_CHECK(at != std::end(kReducerNames), "no reducer {}", name);
  return static_cast<Reducer>(at - std::begin(kReducerNames));
}

Expr identity_of(Reducer r, DType type) {
  switch (r) {
    case Reducer::Sum:
    case Reducer::Any: return constant_of(0, type);
    case Reducer::Prod:
    case Reducer::All: return constant_of(1, type);
    case Reducer::Max:  // a number other than 0 is true
      return constant_of(type == DType::Bool ? 0 : -std::numeric_limits<double>::infinity(), type);
    case Reducer::Min: return constant_of(std::numeric_limits<double>::infinity(), type);
    case Reducer::BitAnd:
      return type == DType::Bool || is_unsigned_int(type) ? constant_of(std::numeric_limits<double>::infinity(), type)
                                                          : constant_int(-1, type);
    case Reducer::BitXor:
    case Reducer::BitOr:
    case Reducer::ArgMax:
    case Reducer::ArgMin: return constant_int(0, type);
    case Reducer::Fold: break;  // it has a start of its own
  }
  TENON_CHECK(false, "unknown reducer");
  return nullptr;
}

void walk(const Expr& e, FunctionRef<bool(const Expr&)> visit) {
  if (!e || !visit(e)) return;
  each_child(e, [&](const Expr& c) { walk(c, visit); });
}

namespace {

bool any_below(const Expr& e, PointerMap<bool>& seen, FunctionRef<bool(const Expr&)> holds) {
  if (!e || (e.use_count() > 1 && !is_leaf(e) && std::exchange(seen[e.get()], true))) return false;
  bool found = holds(e);
  if (!found) each_child(e, [&](const Expr& c) { found = found || any_below(c, seen, holds); });
  return found;
}

}  // namespace

bool any_node(const Expr& e, FunctionRef<bool(const Expr&)> holds) {
  PointerMap<bool> seen;  // what one parent alone holds is met once without a note of it
  return any_below(e, seen, holds);
}

bool any_read(const Expr& e, FunctionRef<bool(const Read&)> holds) {
  return any_node(e, [&](const Expr& n) {
    const auto* r = std::get_if<Read>(&n->node);
    return r && holds(*r);
  });
}

bool all_reads(const Expr& e, FunctionRef<bool(const Read&)> hold) {
  return !any_read(e, [&](const Read& r) { return !hold(r); });
}

bool reads_tensor(const Expr& e, int tensor) {
  return any_read(e, [&](const Read& r) { return r.tensor == tensor; });
}

void each_read(const Expr& e, FunctionRef<void(const Read&)> visit) {
  any_read(e, [&](const Read& r) { return visit(r), false; });
}

void each_child(const Expr& e, FunctionRef<void(const Expr&)> f) {
  const auto call = [&](const Expr& c) {
    if (c) f(c);
  };
  if (const auto* r = std::get_if<Read>(&e->node)) {
    for (const Expr& i : r->index) call(i);
    call(r->fill);
  } else if (const auto* a = std::get_if<Apply>(&e->node)) {
    for (const Expr& x : a->args) call(x);
  } else if (const auto* n = std::get_if<Reduce>(&e->node)) {
    for (const LoopVar& v : n->vars) call(v.extent);
    call(n->where);
    call(n->value);
    call(n->start);
  } else if (const auto* s = std::get_if<Select>(&e->node)) {
    call(s->cond);
    call(s->yes);
    call(s->no);
  }
}

namespace {

struct MapChildren {
  const Expr& self;
  FunctionRef<Expr(const Expr&)> f;
  bool changed = false;

  Expr go(const Expr& e) {
    if (!e) return e;
    Expr r = f(e);
    changed = changed || r != e;
    return r;
  }
  /// No new node is made if no child changes, which is the common case.
  template <class List>
  std::optional<List> go(const List& v) {
    for (size_t i = 0; i < v.size(); ++i) {
      Expr first = go(v[i]);
      if (first == v[i]) continue;
      List out = v;
      out[i] = std::move(first);
      for (++i; i < out.size(); ++i) out[i] = go(out[i]);
      return out;
    }
    return std::nullopt;
  }
  template <class T>
  Expr done(T node) const {
    return changed ? make_expr(self->type, std::move(node)) : self;
  }
  Expr operator()(const Constant&) { return self; }
  Expr operator()(const VarRef&) { return self; }
  Expr operator()(const SizeRef&) { return self; }
  Expr operator()(const AttrRef&) { return self; }
  Expr operator()(const Read& n) {
    std::optional index = go(n.index);
    Expr fill = go(n.fill);
    return changed ? make_expr(self->type, Read{n.tensor, index ? std::move(*index) : n.index, std::move(fill)}) : self;
  }
  Expr operator()(const Apply& n) {
    std::optional args = go(n.args);
    return args ? make_expr(self->type, Apply{n.op, std::move(*args)}) : self;
  }
  Expr operator()(const Reduce& n) {
    Reduce r{n.op, {}, nullptr, nullptr, nullptr, n.running};
    for (const LoopVar& v : n.vars) r.vars.push_back({v.name, go(v.extent)});
    r.where = go(n.where);
    r.value = go(n.value);
    r.start = go(n.start);
    return done(std::move(r));
  }
  Expr operator()(const Select& n) {
    Select r{go(n.cond), go(n.yes), go(n.no)};
    return done(std::move(r));
  }
};

}  // namespace

Expr map_children(const Expr& e, FunctionRef<Expr(const Expr&)> f) {
  MapChildren m{e, f};
  return std::visit(m, e->node);
}

bool same(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Expr& x, const Expr& y) { return same(x, y); });
}

bool has_loop(const std::vector<LoopVar>& loops, const std::string& name) {
  return any_of(loops, [&](const LoopVar& v) { return v.name == name; });
}

void collect_factors(const Expr& e, std::vector<Expr>& out) {
  const auto* a = std::get_if<Apply>(&e->node);
  if (a && a->op == ScalarOp::Mul)
    for (const Expr& x : a->args) collect_factors(x, out);
  else out.push_back(e);
}

std::vector<Expr> var_refs(const std::vector<LoopVar>& loops) {
  return mapped(loops, [&](const LoopVar& v) { return var_ref(v.name); });
}

ScalarOp step_of(Reducer r) {
  switch (r) {
    case Reducer::Sum: return ScalarOp::Add;
    case Reducer::Prod: return ScalarOp::Mul;
    case Reducer::Max: return ScalarOp::Max;
    case Reducer::Min: return ScalarOp::Min;
    case Reducer::Any: return ScalarOp::Or;
    case Reducer::All: return ScalarOp::And;
    case Reducer::BitXor: return ScalarOp::BitXor;
    case Reducer::BitOr: return ScalarOp::BitOr;
    case Reducer::BitAnd: return ScalarOp::BitAnd;
    case Reducer::Fold:
    case Reducer::ArgMax:
    case Reducer::ArgMin: break;
  }
  TENON_UNREACHABLE("{} does not combine two values", name_of(r));
}

}  // namespace tenon
