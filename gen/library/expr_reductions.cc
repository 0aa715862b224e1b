// Syntax → typed expression: reductions, folds, and ranges from data.
#include <fmt/format.h>

#include "algebra/linear.h"
#include "algebra/simplify.h"
#include "library/expr_builder.h"
#include "library/type_rules.h"

namespace tenon {

/// Gives the variables of a reduction names that the statement has not used yet.
std::vector<LoopVar> ExprBuilder::bind_reduced(const Syntax& s) {
  std::vector<LoopVar> vars;
  for (const Syntax& v : s.variables())
    for (LoopVar lv : loop_vars(v)) {
      const std::string given = lv.name;
      for (int i = 1; used_vars_.count(lv.name); ++i) lv.name = fmt::format("{}_{}", given, i);
      used_vars_.insert(lv.name);
      renamed_[given] = var_ref(lv.name);
      vars.push_back(std::move(lv));
    }
  return vars;
}

Typed ExprBuilder::reduction(const Syntax& s) {
  const Reducer op = reducer_from_name(s.text);
  const std::map<std::string, Expr> outer = renamed_;
  const Typed start = s.start() ? value(s.start()->children[0]) : zero();
  std::vector<LoopVar> vars = bind_reduced(s);
  const std::map<std::string, Expr> inner = renamed_;
  Expr where;
  for (const Syntax& v : s.variables()) {
    const Expr of_variable = inner.contains(v.text) ? inner.at(v.text) : nullptr;
    renamed_ = outer;
    if (of_variable) renamed_[v.text] = of_variable;
    where = both(where, range_condition(v));
  }
  renamed_ = inner;
  const size_t outside = reducing_.size();
  reducing_.insert(reducing_.end(), vars.begin(), vars.end());
  if (where) path_.push_back(where);
  const bool ranged = where != nullptr;
  const DType widest = statement_.widest;
  if (s.predicate()) statement_.widest = widest_integer(*s.predicate(), widest);  // which widens only itself
  if (s.predicate() && !s.start()) where = both(where, condition(*s.predicate()));
  statement_.widest = widest;
  if (ranged) path_.pop_back();
  if (where) path_.push_back(where);
  Typed out = s.start()           ? folded(s, std::move(vars), where, start)
              : is_positional(op) ? positional(s, op, std::move(vars), where)
                                  : reduced(s, op, std::move(vars), where);
  if (where) path_.pop_back();
  reducing_.resize(outside);
  renamed_ = outer;
  return out;
}

/// The accumulator has the type of its start; if that is a literal, of the result of the expression.
Typed ExprBuilder::folded(const Syntax& s, std::vector<LoopVar> vars, const Expr& range, const Typed& start) {
  const std::string& given = s.start()->text;
  Typed first = start;
  const size_t checks = kernel_.checks.size();
  if (first.flexible) {
    const std::set<std::string> used = used_vars_;
    running_[given] = first;
    const DType type = value(s.reduced()).e->type;
    first.e = convert(first, is_float(type) || is_complex(type) || is_int(type) ? type : first.e->type);
    used_vars_ = used;
    kernel_.checks.resize(checks);
  }
  std::string name = accumulator_named(given);
  for (int i = 1; used_vars_.count(name); ++i) name = accumulator_named(fmt::format("{}_{}", given, i));
  used_vars_.insert(name);
  integers_.accumulate(name);
  running_[given] = {running_ref(name, first.e->type), false};
  const Expr predicate = s.predicate() ? condition(*s.predicate()) : nullptr;
  const Expr where = both(range, predicate);
  const DType widest = statement_.widest;
  if (is_int(first.e->type)) statement_.widest = widest_integer(s.reduced(), first.e->type);
  if (predicate) path_.push_back(predicate);
  const Typed next = value(s.reduced());
  if (predicate) path_.pop_back();
  statement_.widest = widest;
  running_.erase(given);
  if (const auto why = assignable(next, first.e->type))
    error(Code::E0602, s.reduced(), fmt::format("the accumulator is {}: {}", name_of(first.e->type), *why),
          {fmt::format("write cast(…, {})", name_of(first.e->type))});
  return {fold(std::move(vars), where, convert(next, first.e->type), first.e, name), false};
}

/// Whether the definition itself requires slack >= 0.
bool ExprBuilder::is_required(const Expr& slack) {
  const size_t checks = kernel_.checks.size();
  bool found = false;
  for (const Syntax& r : scope_.def ? scope_.def->requires_ : std::vector<Syntax>()) {
    if (!r.is(SyntaxKind::binary) || each_rank(r) != SIZE_MAX) continue;
    const Expr c = value(r).e;
    const auto* a = std::get_if<Apply>(&c->node);
    if (!a || a->args.size() != 2 || a->args[0]->type != DType::I64) continue;
    LinearForm fact = linear_form(a->args[0]) - linear_form(a->args[1]);
    if (a->op == ScalarOp::Gt) fact.constant -= 1;
    else if (a->op != ScalarOp::Ge) continue;
    found = found || proves_not_negative(linear_form(slack) - fact, Ranges());
  }
  kernel_.checks.resize(checks);
  return found;
}

Typed ExprBuilder::positional(const Syntax& s, Reducer op, std::vector<LoopVar> vars, const Expr& where) {
  const DType widest = statement_.widest;
  statement_.widest = widest_integer(s.reduced(), DType::I8);
  Typed v = value(s.reduced());
  statement_.widest = widest;
  if (v.e->type == DType::Bool) v.e = convert(v, DType::I64);
  if (!has_function(s, op == Reducer::ArgMin ? ScalarOp::Min : ScalarOp::Max, v.e->type, s.text)) return v;
  // Whether an element is kept is evaluated outside the reduction, without the condition itself.
  if (where) path_.pop_back();
  reducing_.resize(reducing_.size() - vars.size());
  if (where) require_any(vars, where, s);
  for (const LoopVar& l : vars)
    if (!where && !is_required(l.extent - constant_int(1))) require_choice(l.extent - constant_int(1), s);
  if (where) path_.push_back(where);
  reducing_.insert(reducing_.end(), vars.begin(), vars.end());
  return {reduce(op, std::move(vars), where, v.e, DType::I64), true};
}

Typed ExprBuilder::reduced(const Syntax& s, Reducer op, std::vector<LoopVar> vars, const Expr& where) {
  Typed v = value(s.reduced());
  if (op == Reducer::Any || op == Reducer::All) {
    if (const auto why = as_condition(v)) error(Code::E0436, s.reduced(), *why);
    return {reduce(op, std::move(vars), where, v.e, DType::Bool), false};
  }
  if ((op == Reducer::Min || op == Reducer::Max) &&
      !has_function(s, op == Reducer::Min ? ScalarOp::Min : ScalarOp::Max, v.e->type, s.text))
    return v;
  const bool of_bits = op == Reducer::BitXor || op == Reducer::BitOr || op == Reducer::BitAnd;
  if (of_bits && !has_function(s, ScalarOp::BitXor, v.e->type, s.text)) return v;
  if (v.e->type == DType::Bool && (op == Reducer::Sum || op == Reducer::Prod)) v = {convert(v, DType::I64), true};
  const DType type = v.e->type;
  return {reduce(op, std::move(vars), where, v.e, type), v.flexible};
}

/// Each end of a range must be in 0 … extent; otherwise the call is refused before anything is written.
Expr ExprBuilder::range_end(const Syntax& s, const Expr& extent) {
  const DType widest = statement_.widest;
  statement_.widest = DType::I64;
  const Typed end = value(s);
  statement_.widest = widest;
  if (!is_integral(end.e->type)) {
    error(Code::E0601, s, fmt::format("a range ends at an integer, not at a number of {}", name_of(end.e->type)),
          {"read the ends of the range from a tensor of i32 or i64"});
    return constant_int(0);
  }
  const Expr at = convert(end, DType::I64);
  const Ranges ranges = ranges_of(reducing_, ranges_of(statement_.loops));
  const Expr inside = simplify(
      apply(ScalarOp::And, {apply(ScalarOp::Ge, {at, constant_int(0)}), apply(ScalarOp::Le, {at, extent})}), ranges);
  require_data(inside, CheckStatus::Range, s);
  return at;
}

Expr ExprBuilder::range_condition(const Syntax& variable) {
  if (variable.children.size() != 2) return nullptr;
  const auto range = scope_.ranges.find(variable.text);
  if (range == scope_.ranges.end()) return nullptr;
  const auto renamed = renamed_.find(variable.text);
  const Expr v = renamed == renamed_.end() ? var_ref(variable.text) : renamed->second;
  const Expr from = range_end(variable.children[0], range->second), to = range_end(variable.children[1], range->second);
  return apply(ScalarOp::And, {apply(ScalarOp::Ge, {v, from}), apply(ScalarOp::Lt, {v, to})});
}

Expr ExprBuilder::update_condition(const tenon::Statement& s) {
  Expr where;
  for (const Syntax& r : s.ranges) where = both(where, range_condition(r));
  if (!s.where) return where;
  if (where) path_.push_back(where);
  const DType widest = statement_.widest;
  statement_.widest = widest_integer(*s.where, widest);
  const Expr holds = condition(*s.where);
  statement_.widest = widest;
  if (where) path_.pop_back();
  return both(where, holds);
}

}  // namespace tenon
