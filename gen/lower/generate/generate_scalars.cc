// Expressions → scalars: uniform values, indices and everything outside of vector loops.
#include "algebra/simplify.h"
#include "lower/generate/generate.h"
#include "support/check.h"
#include "support/ranges.h"

namespace tenon {
namespace {

Operand apply_scalar(ScalarOp op, Few<Operand> args, DType type) {
  if (op == ScalarOp::Cast) return v_cast(args[0], type);
  if (args.size() == 2 && is_i64_scalar(args[0]) && is_i64_scalar(args[1])) {
    if (op == ScalarOp::Add) return args[0] + args[1];
    if (op == ScalarOp::Sub) return args[0] - args[1];
    if (op == ScalarOp::Mul) return args[0] * args[1];
  }
  if (scalar_op_row(op).result == ResultRule::Explicit) return v_apply_as(op, std::move(args), {type, 1, 0});
  return v_apply(op, std::move(args));
}

}  // namespace

Operand Generator::scalar(const Expr& e, int part) {
  const int own = varies(e) ? part : 0;
  if (const Bundle* known = memo_.find(e, own)) return (*known)[0];
  Operand v = scalar_of(e, part);
  if (deserves_name(e)) v = named(base_name(e, k_), v);
  memo_.put(e, own, {v});
  return v;
}

Operand Generator::scalar_of(const Expr& e, int part) {
  if (const auto* c = std::get_if<Constant>(&e->node)) return v_constant(*c, {e->type, 1, 0});
  if (const auto* s = std::get_if<SizeRef>(&e->node)) return v_size(s->name);
  if (const auto* a = std::get_if<AttrRef>(&e->node)) return v_attr(a->name, e->type, a->element);
  if (const auto* v = std::get_if<VarRef>(&e->node)) {
    if (v->name == lanes_.var) return lanes_.base + v_int(part * lanes_.step());
    const auto it = vars_.find(v->name);
    TENON_CHECK(it != vars_.end(), "variable {} is not in scope", v->name);
    return it->second[it->second.size() > 1 ? static_cast<size_t>(part) : 0];
  }
  if (const auto* r = std::get_if<Read>(&e->node)) return scalar_read(e, *r, part);
  if (const auto* r = std::get_if<Reduce>(&e->node)) return scalar_reduce(e, *r);
  if (const auto* s = std::get_if<Select>(&e->node)) {
    const Operand cond = scalar(s->cond, part);
    ++lazy_;
    const Operand yes = scalar(s->yes, part), no = scalar(s->no, part);
    --lazy_;
    return v_select(cond, yes, no);
  }
  const auto& a = std::get<Apply>(e->node);
  Few<Operand> args;
  const bool short_circuit = a.op == ScalarOp::And || a.op == ScalarOp::Or;
  // a value used by both an arm and the second argument is named outside the arm
  if (is_float(e->type) && a.args.size() == 2 && std::holds_alternative<Select>(a.args[0]->node))
    scalar(a.args[1], part);
  for (const Expr& x : a.args) {
    const bool later = short_circuit && !args.empty();
    lazy_ += later ? 1 : 0;
    args.push_back(scalar(x, part));
    lazy_ -= later ? 1 : 0;
  }
  return apply_scalar(a.op, std::move(args), e->type);
}

Operand Generator::scalar_read(const Expr& e, const Read& r, int part) {
  if (!r.fill) {
    const Bundle* known = known_value(r.tensor, r.index);
    if (known) return (*known)[known->size() > 1 ? static_cast<size_t>(part) : 0];
    const Operand offset = offset_of(r.tensor, r.index, part);
    if (const auto element = table_element(r.tensor, offset)) return *element;
    return v_load(buffer_of_[static_cast<size_t>(r.tensor)], e->type, offset);
  }
  const auto [cond, bare] = padded_read(e, r, part);
  if (const auto c = constant_value(cond)) return scalar(*c ? bare : r.fill, part);
  const Operand is_inside = scalar(cond, part);
  ++lazy_;
  const Operand yes = scalar(bare, part), no = scalar(r.fill, part);
  --lazy_;
  return v_select(is_inside, yes, no);
}

/// The condition under which a padded read accesses memory, and the read itself. Both use its index.
std::pair<Expr, Expr> Generator::padded_read(const Expr& e, const Read& r, int part) {
  SharedExprs shared;
  for (const Expr& i : r.index) name_conversions(shared.share(i), part);
  return {shared.share(inside(r)), read_of(r.tensor, e->type, r.index)};
}

/// Names the parts of an index that are computed as floats, but for those that only an arm of a selection asks for.
void Generator::name_conversions(const Expr& e, int part) {
  if (lazy_ > 0 || std::holds_alternative<Reduce>(e->node) || std::holds_alternative<Select>(e->node)) return;
  const auto* a = std::get_if<Apply>(&e->node);
  if (!a || a->op != ScalarOp::Cast || !is_float(a->args[0]->type))
    return each_child(e, [&](const Expr& c) { name_conversions(c, part); });
  const int own = varies(e) ? part : 0;
  if (!memo_.find(e, own)) memo_.put(e, own, {named("at", scalar_of(e, part))});
}

namespace {

/// index >= 0; `y - 1 >= 0` as `y >= 1`, where the sum is of variables and sizes, so that none wraps.
Expr at_or_above_zero(const Expr& index) {
  LinearForm form = linear_form(index);
  const auto counts = [](const auto& term) {
    return std::holds_alternative<VarRef>(term.first->node) || std::holds_alternative<SizeRef>(term.first->node);
  };
  if (form.constant >= 0 || !all_of(form.terms, counts)) return apply(ScalarOp::Ge, {index, constant_int(0)});
  const Expr least = constant_int(-form.constant);
  form.constant = 0;
  return apply(ScalarOp::Ge, {to_expr(form), least});
}

}  // namespace

Expr Generator::inside(const Read& r) const {
  Expr all = constant_int(1, DType::Bool);
  for (size_t d = 0; d < r.index.size(); ++d) {
    if (any_of(interior_, [&](const std::string& v) { return mentions(r.index[d], v); })) continue;
    const Expr low = at_or_above_zero(r.index[d]);
    const Expr high = apply(ScalarOp::Lt, {r.index[d], k_.tensor(r.tensor).dims[d]});
    all = apply(ScalarOp::And, {all, apply(ScalarOp::And, {low, high})});
  }
  return simplify(all, ranges_);
}

Operand Generator::offset_of(int tensor, const std::vector<Expr>& index, int part) {
  Operand offset = v_int(0);
  for (size_t d = 0; d < index.size(); ++d) {
    const TempPlace& place = places_[static_cast<size_t>(tensor)];
    if (is_zero(place.strides[d])) continue;
    Operand at = scalar(index[d], part);
    if (!place.turns.empty() && place.turns[d] > 1) at = v_apply(ScalarOp::BitAnd, {at, v_int(place.turns[d] - 1)});
    offset = offset + at * scalar(place.strides[d], part);
  }
  return offset;
}

/// A reduction inside an index or a check: a separate loop nest before the current statement.
Operand Generator::scalar_reduce(const Expr& e, const Reduce& r) {
  const bool argument = is_positional(r.op);
  const OperandType type{argument ? r.value->type : e->type, 1, 0};
  const std::string name = take_name("r"), at = argument ? take_name("r_at") : "";
  out_->push_back({SVar{name, r.start ? scalar(r.start, 0) : identity(r.op, type)}});
  if (r.start) vars_[r.running] = {v_var(name, type)};
  if (argument) out_->push_back({SVar{at, v_int(-1)}});
  const auto add = [&] {
    const Operand v = scalar(r.value, 0);
    if (!argument) return out_->push_back(s_assign(name, combine(r.op, v_var(name, type), v)));
    const Operand x = named("x", v), position = v_var(at);
    Operand here = v_int(0);
    for (const LoopVar& var : r.vars) here = here * scalar(var.extent, 0) + vars_.at(var.name)[0];
    const Operand better =
        v_apply(ScalarOp::Or, {v_apply(ScalarOp::Lt, {position, v_int(0)}), beats(r.op, x, v_var(name, type))});
    out_->push_back(s_if(better, {s_assign(name, x), s_assign(at, here)}));
  };
  Block inner = block([&] {
    std::vector<std::string> names;
    for (const LoopVar& v : r.vars) {
      names.push_back(take_name(letter_of(v.name)));
      vars_[v.name] = {v_var(names.back())};
    }
    Block body = block([&] {
      if (!r.where) return add();
      const Operand cond = scalar(r.where, 0);
      Block then = block(add);
      out_->push_back(s_if(cond, std::move(then)));
    });
    for (size_t i = r.vars.size(); i-- > 0;) {
      Block loop{s_for(names[i], v_int(0), scalar(r.vars[i].extent, 0), 1, std::move(body))};
      body = std::move(loop);
    }
    *out_ = std::move(body);
  });
  for (Stmt& s : inner) out_->push_back(std::move(s));
  return argument ? v_var(at) : v_var(name, type);
}

}  // namespace tenon
