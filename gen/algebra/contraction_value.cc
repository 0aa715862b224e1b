// Expressions of a contraction as operands: affine forms of indices, and values along the lanes of one variable.
#include "algebra/contraction_value.h"

#include <fmt/format.h>

#include "support/check.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {

namespace {

AffineForm scaled(AffineForm f, const Operand& by) {
  for (auto& [name, c] : f.coefficients) c = c * by;
  f.rest = f.rest * by;
  return f;
}

AffineForm combined(AffineForm a, const AffineForm& b, bool subtract) {
  for (const auto& [name, c] : b.coefficients) {
    auto [it, fresh] = a.coefficients.try_emplace(name, v_int(0));
    it->second = subtract ? it->second - c : it->second + c;
  }
  a.rest = subtract ? a.rest - b.rest : a.rest + b.rest;
  return a;
}

/// Lowers one expression; remembers failure instead of unwinding.
class ValueLowering {
 public:
  explicit ValueLowering(const ValueScope& scope) : scope_(scope) {}
  bool failed() const { return failed_; }

  Operand go(const Expr& e) {
    if (const auto* it = find_value(scope_.given, e.get())) return *it;
    return std::visit([&](const auto& n) { return lower(e, n); }, e->node);
  }

  Operand widen(const Operand& v) const { return v->type.lanes == 1 ? v_splat(v, scope_.lanes) : v; }

 private:
  Operand fail(const Expr& e) {
    failed_ = true;
    return v_constant(Constant{}, {e->type, 1, 0});
  }
  Operand lower(const Expr& e, const Constant& c) { return v_constant(c, {e->type, 1, 0}); }
  Operand lower(const Expr& e, const VarRef& v) {
    const auto it = scope_.vars.find(v.name);
    if (it == scope_.vars.end()) return fail(e);
    return v.name == scope_.vector_var ? v_ramp(it->second, scope_.lanes) : it->second;
  }
  Operand lower(const Expr&, const SizeRef& s) { return v_size(s.name); }
  Operand lower(const Expr& e, const AttrRef& a) { return v_attr(a.name, e->type, a.element); }
  Operand lower(const Expr& e, const Reduce&) { return fail(e); }
  Operand lower(const Expr& e, const Read& r) {
    if (r.fill) return fail(e);
    std::vector<LoopVar> over;
    if (!scope_.vector_var.empty()) over.push_back({scope_.vector_var, nullptr});
    const auto form = offset_form(r.tensor, r.index, over, scope_);
    if (!form) return fail(e);
    if (scope_.vector_var.empty()) return v_load(r.tensor, e->type, form->rest);
    const Operand step = form->coefficient(scope_.vector_var);
    const Operand first = form->rest + scope_.vars.at(scope_.vector_var) * step;
    if (constant_value(step) == 0) return v_load(r.tensor, e->type, first);
    if (constant_value(step) == 1) return v_load(r.tensor, e->type, first, scope_.lanes, scope_.active);
    if (scope_.unit.count(canonical(step)))
      return v_load(r.tensor, e->type, form->rest + scope_.vars.at(scope_.vector_var), scope_.lanes, scope_.active);
    return v_gather(e->type, scope_.lanes, {r.tensor, first, step, scope_.active});
  }
  Operand lower(const Expr& e, const Apply& a) {
    Few<Operand> args = all(a.args);
    const int lanes = args.empty() ? 1 : args[0]->type.lanes;
    if (a.op == ScalarOp::Cast) return v_cast(args[0], e->type);
    if (scalar_op_row(a.op).result == ResultRule::Explicit)
      return v_apply_as(a.op, std::move(args), {e->type, lanes, 0});
    return v_apply(a.op, std::move(args));
  }
  Operand lower(const Expr&, const Select& s) {
    Few<Operand> args = all({s.cond, s.yes, s.no});
    return v_select(args[0], args[1], args[2]);
  }
  Few<Operand> all(const Few<Expr>& exprs) {
    Few<Operand> out;
    for (const Expr& e : exprs) out.push_back(go(e));
    if (any_of(out, [](const Operand& v) { return v->type.lanes > 1; }))
      for (Operand& v : out) v = widen(v);
    return out;
  }

  const ValueScope& scope_;
  bool failed_ = false;
};

void collect_terms(const Operand& v, ScalarOp op, std::vector<std::string>& out) {
  const auto* a = std::get_if<VApply>(&v->node);
  if (a && a->op == op)
    for (const Operand& x : a->args) collect_terms(x, op, out);
  else out.push_back(canonical(v));
}

}  // namespace

bool mentions_any(const Expr& e, const std::vector<LoopVar>& vars) {
  return any_of(vars, [&](const LoopVar& v) { return mentions(e, v.name); });
}

std::string canonical(const Operand& v) {
  if (const auto* c = std::get_if<VConst>(&v->node)) return fmt::format("{}", c->i);
  if (const auto* n = std::get_if<VVar>(&v->node)) return n->name;
  if (const auto* n = std::get_if<VSize>(&v->node)) return n->name;
  if (const auto* n = std::get_if<VAttr>(&v->node)) return fmt::format("{}.{}", n->name, n->element);
  const auto* a = std::get_if<VApply>(&v->node);
  if (!a) return fmt::format("{}", static_cast<const void*>(v.get()));
  std::vector<std::string> terms;
  if (a->op == ScalarOp::Mul || a->op == ScalarOp::Add) {
    collect_terms(v, a->op, terms);
    sort(terms);
  } else {
    for (const Operand& x : a->args) terms.push_back(canonical(x));
  }
  return fmt::format("{}({})", scalar_op_row(a->op).name, joined(terms, ","));
}

Operand AffineForm::coefficient(const std::string& var) const { return value_or(coefficients, var, v_int(0)); }

std::optional<AffineForm> affine_form(const Expr& index, const std::vector<LoopVar>& over, const ValueScope& scope) {
  if (!mentions_any(index, over)) {
    ValueScope scalar = scope;
    scalar.vector_var.clear();
    const auto rest = lower_value(index, scalar);
    return rest ? std::optional(AffineForm{{}, *rest}) : std::nullopt;
  }
  if (const auto* v = std::get_if<VarRef>(&index->node); v && has_loop(over, v->name))
    return AffineForm{{{v->name, v_int(1)}}, v_int(0)};
  const auto* a = std::get_if<Apply>(&index->node);
  if (!a) return std::nullopt;
  if (a->op == ScalarOp::Add || a->op == ScalarOp::Sub) {
    const auto x = affine_form(a->args[0], over, scope), y = affine_form(a->args[1], over, scope);
    if (!x || !y) return std::nullopt;
    return combined(*x, *y, a->op == ScalarOp::Sub);
  }
  if (a->op == ScalarOp::Neg) {
    const auto x = affine_form(a->args[0], over, scope);
    return x ? std::optional(scaled(*x, v_int(-1))) : std::nullopt;
  }
  if (a->op == ScalarOp::Mul) {
    const int factor = mentions_any(a->args[0], over) ? 1 : 0;
    const auto x = affine_form(a->args[static_cast<size_t>(1 - factor)], over, scope),
               by = affine_form(a->args[static_cast<size_t>(factor)], over, scope);
    if (!x || !by || !by->coefficients.empty()) return std::nullopt;
    return scaled(*x, by->rest);
  }
  return std::nullopt;
}

std::optional<AffineForm> offset_form(int tensor, const std::vector<Expr>& index, const std::vector<LoopVar>& over,
                                      const ValueScope& scope) {
  const Tensor& t = scope.kernel->tensor(tensor);
  AffineForm sum{{}, v_int(0)};
  for (size_t d = 0; d < index.size(); ++d) {
    const auto stride = affine_form(t.strides[d], {}, scope), part = affine_form(index[d], over, scope);
    if (!stride || !part) return std::nullopt;
    sum = combined(sum, scaled(*part, stride->rest), false);
  }
  return sum;
}

std::optional<Operand> lower_value(const Expr& e, const ValueScope& scope) {
  ValueLowering lowering(scope);
  Operand v = lowering.go(e);
  return lowering.failed() ? std::nullopt : std::optional(std::move(v));
}

std::vector<Operand> open_steps(const Expr& e, const std::string& var, const ValueScope& scope) {
  std::vector<Operand> steps;
  walk(e, [&](const Expr& n) {
    if (std::holds_alternative<Reduce>(n->node)) return false;
    const auto* r = std::get_if<Read>(&n->node);
    const auto form = r ? offset_form(r->tensor, r->index, {{var, nullptr}}, scope) : std::nullopt;
    if (!form) return true;
    const Operand step = form->coefficient(var);
    const bool known = constant_value(step).has_value();
    if (!known && none_of(steps, [&](const Operand& s) { return canonical(s) == canonical(step); }))
      steps.push_back(step);
    return true;
  });
  return steps;
}

std::optional<Operand> lower_lanes(const Expr& e, const ValueScope& scope) {
  ValueLowering lowering(scope);
  const Operand v = lowering.widen(lowering.go(e));
  return lowering.failed() ? std::nullopt : std::optional(v);
}

}  // namespace tenon
