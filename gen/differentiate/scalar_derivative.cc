// Derivatives of scalar operations: rows of the notation → expressions.
#include "differentiate/scalar_derivative.h"

#include "support/check.h"
#include "support/ranges.h"

namespace tenon {
namespace {

using Names = std::map<std::string, Expr>;

/// Expressions of one row: real numbers of one type, conditions over them.
class RowExpression {
 public:
  RowExpression(const OpLibrary& library, DType type) : library_(library), type_(type) {}

  Expr value(const Syntax& s, const Names& names) const {
    switch (s.kind) {
      case SyntaxKind::integer: return constant_float(static_cast<double>(s.integer), type_);
      case SyntaxKind::real: return constant_float(s.real, type_);
      case SyntaxKind::name: return names.at(s.text);
      case SyntaxKind::unary: return unary(s, names);
      case SyntaxKind::binary: return binary(s, names);
      case SyntaxKind::call: return call(s, names);
      default: break;
    }
    TENON_UNREACHABLE("a row holds {}", print(s));
  }

 private:
  Expr unary(const Syntax& s, const Names& names) const {
    const Expr x = value(s.children[0], names);
    if (const Constant* c = as_constant(x)) return constant_float(-c->f, type_);
    return apply(s.text == "not" ? ScalarOp::Not : ScalarOp::Neg, {x});
  }

  Expr binary(const Syntax& s, const Names& names) const {
    const Expr a = value(s.children[0], names), b = value(s.children[1], names);
    return apply(s.text == "**" ? ScalarOp::Pow : scalar_op_from_sign(s.text).value(), {a, b});
  }

  Expr call(const Syntax& s, const Names& names) const {
    std::vector<Expr> args;
    for (const Syntax& c : s.children) args.push_back(value(c, names));
    if (s.text == "select") return select(args[0], args[1], args[2]);
    if (const auto f = library_.fns.find(s.text); f != library_.fns.end())
      return inlined(f->second.params, f->second.value, args);
    if (const auto r = library_.scalars.find(s.text); r != library_.scalars.end() && r->second.as)
      return inlined(r->second.args, *r->second.as, args);
    const auto op = scalar_op_from_name(s.text);
    TENON_CHECK(op, "a row calls {}", s.text);
    Few<Expr> few;
    for (Expr& e : args) few.push_back(std::move(e));
    return apply(*op, std::move(few));
  }

  Expr inlined(const std::vector<std::string>& params, const Syntax& body, const std::vector<Expr>& args) const {
    Names names;
    for (size_t i = 0; i < params.size(); ++i) names[params[i]] = args[i];
    return value(body, names);
  }

  const OpLibrary& library_;
  DType type_;
};

bool is_number(const Expr& e, double v) {
  const Constant* c = as_constant(e);
  return c && holds_reals(e->type) && c->f == v;
}

/// A sum or difference with a choice in it: products are distributed over it.
bool sums_choices(const Expr& e) {
  const auto* a = std::get_if<Apply>(&e->node);
  if (!a || a->op != ScalarOp::Add) return false;
  return any_of(a->args, [&](const Expr& x) { return std::holds_alternative<Select>(x->node) || sums_choices(x); });
}

}  // namespace

DerivativeTable::DerivativeTable(const OpLibrary& library) : library_(library) {
  for (const auto& [name, row] : library.scalars)
    if (const auto op = scalar_op_from_name(name); op && !row.as && !row.derivatives.empty()) rows_[*op] = &row;
}

Expr DerivativeTable::derivative(const Expr& result, size_t k) const {
  const auto& a = std::get<Apply>(result->node);
  // For a value and a constant: the constant takes the derivative where both are equal, as in relu at 0.
  if ((a.op == ScalarOp::Max || a.op == ScalarOp::Min) && as_constant(a.args[1 - k])) {
    const ScalarOp beyond = a.op == ScalarOp::Max ? ScalarOp::Gt : ScalarOp::Lt;
    return select(apply(beyond, {a.args[k], a.args[1 - k]}), constant_float(1, result->type),
                  constant_float(0, result->type));
  }
  const ScalarRow& row = *rows_.at(a.op);
  Names names = {{"Y", result}};
  for (size_t i = 0; i < row.args.size(); ++i) names[row.args[i]] = a.args[i];
  return RowExpression(library_, result->type).value(row.derivatives[k], names);
}

Expr over_choices(const Expr& adjoint, FunctionRef<Expr(const Expr&)> f) {
  if (is_number(adjoint, 0)) return constant_float(0, f(adjoint)->type);
  if (const auto* s = std::get_if<Select>(&adjoint->node))
    return select(s->cond, over_choices(s->yes, f), over_choices(s->no, f));
  if (!sums_choices(adjoint)) return f(adjoint);
  const auto& sum = std::get<Apply>(adjoint->node);
  return apply(ScalarOp::Add, {over_choices(sum.args[0], f), over_choices(sum.args[1], f)});
}

Expr chained(const Expr& adjoint, const Expr& derivative) {
  if (is_number(adjoint, 0) || is_number(derivative, 1)) return adjoint;
  if (is_number(derivative, 0) || is_number(adjoint, 1)) return derivative;
  if (std::holds_alternative<Select>(adjoint->node) || sums_choices(adjoint))
    return over_choices(adjoint, [&](const Expr& a) { return chained(a, derivative); });
  if (const auto* s = std::get_if<Select>(&derivative->node))
    return select(s->cond, chained(adjoint, s->yes), chained(adjoint, s->no));
  if (is_number(derivative, -1)) return apply(ScalarOp::Neg, {adjoint});
  // a * (1/x) rounds once less as a/x.
  if (const auto* d = std::get_if<Apply>(&derivative->node); d && d->op == ScalarOp::Div && is_number(d->args[0], 1))
    return apply(ScalarOp::Div, {adjoint, d->args[1]});
  if (const auto* d = std::get_if<Apply>(&derivative->node); d && d->op == ScalarOp::Neg)
    return apply(ScalarOp::Neg, {chained(adjoint, d->args[0])});
  return apply(ScalarOp::Mul, {adjoint, derivative});
}

}  // namespace tenon
