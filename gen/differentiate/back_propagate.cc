// The chain rule through the value of one statement.
#include "differentiate/back_propagate.h"

#include "algebra/linear.h"
#include "algebra/simplify.h"
#include "ir/kernel/stated_derivative.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Complex numbers are pairs of floats: the gradient of one is that of its real part plus i times that of the other.
bool computes_in_floats(DType d) { return is_float(dtype_row(d).compute) || is_complex(d); }

/// Number of a reduction's step: its variables, the last one fastest.
Expr step_of(const std::vector<LoopVar>& vars) {
  Expr at = constant_int(0);
  for (const LoopVar& v : vars) at = at * v.extent + var_ref(v.name);
  return at;
}

Expr inside(const std::vector<Expr>& index, const std::vector<Expr>& dims) {
  Expr all;
  for (size_t d = 0; d < index.size(); ++d)
    all = both(all, both(apply(ScalarOp::Ge, {index[d], constant_int(0)}), apply(ScalarOp::Lt, {index[d], dims[d]})));
  return all ? all : constant_int(1, DType::Bool);
}

/// What is known of the extents of a kernel, inside of these loops.
Ranges known_ranges(const Kernel& k, const std::vector<LoopVar>& vars) {
  Ranges ranges = ranges_of(vars);
  for (const Size& s : k.sizes) ranges.size_lo[s.name] = std::max<int64_t>(s.lo, 0);
  add_least_sizes(ranges, k.facts);
  return ranges;
}

/// The factor of a gradient if a holomorphic function has the derivative `d`.
Expr conjugate(const Expr& d) { return is_complex(d->type) && !as_constant(d) ? apply(ScalarOp::Conj, {d}) : d; }

}  // namespace

/// Whether a value depends on an active tensor, other than by choosing or by an index.
bool BackPropagation::depends(const Expr& e) const {
  if (!computes_in_floats(e->type)) return false;
  if (const auto* r = std::get_if<Read>(&e->node)) return is_active_(r->tensor) || (r->fill && depends(r->fill));
  if (const auto* s = std::get_if<Select>(&e->node)) return depends(s->yes) || depends(s->no);
  if (const auto* r = std::get_if<Reduce>(&e->node)) return depends(r->value);
  if (is_stop(e)) return false;
  if (const auto s = stated_derivative(e)) return depends(s->x) || (stated_derivative(s->value) && depends(s->value));
  bool found = false;
  if (const auto* a = std::get_if<Apply>(&e->node))
    for (const Expr& x : a->args) found = found || depends(x);
  return found;
}

void BackPropagation::run(const Expr& value, const Expr& adjoint, const std::vector<LoopVar>& loops,
                          const Expr& where) {
  region(shared_.share(value), adjoint, {loops, where});
}

/// Nodes below `e` through which the gradient passes, operands before their users; reductions are not entered.
void BackPropagation::order(const Expr& e, std::vector<Expr>& out) const {
  if (!depends(e) || contains(out, e)) return;
  if (const auto* r = std::get_if<Read>(&e->node)) {
    if (r->fill) order(r->fill, out);
  } else if (const auto* s = std::get_if<Select>(&e->node)) {
    order(s->yes, out);
    order(s->no, out);
  } else if (const auto stated = stated_derivative(e)) {
    order(stated->x, out);
    if (stated_derivative(stated->value)) order(stated->value, out);
  } else if (const auto* a = std::get_if<Apply>(&e->node)) {
    for (const Expr& x : a->args) order(x, out);
  }
  out.push_back(e);
}

void BackPropagation::region(const Expr& root, const Expr& adjoint, const Region& in) {
  std::vector<Expr> nodes;
  order(root, nodes);
  const std::map<const ExprNode*, Expr> outer = std::move(adjoints_), outer_paths = std::move(paths_);
  adjoints_ = {{root.get(), adjoint}};
  paths_ = {{root.get(), nullptr}};
  for (size_t i = nodes.size(); i-- > 0 && why.empty();)
    if (const auto a = adjoints_.find(nodes[i].get()); a != adjoints_.end()) {
      path_ = paths_[nodes[i].get()];
      hand_on(nodes[i], Expr(a->second), in);
    }
  adjoints_ = outer;
  paths_ = outer_paths;
}

void BackPropagation::add(const Expr& to, const Expr& adjoint, const Expr& condition) {
  if (!depends(to)) return;
  Expr& sum = adjoints_[to.get()];
  const bool first = !sum;
  sum = first ? adjoint : apply(ScalarOp::Add, {sum, adjoint});
  const Expr here = both(path_, condition);
  Expr& path = paths_[to.get()];
  path = first ? here : path && here ? apply(ScalarOp::Or, {path, here}) : nullptr;
}

/// The condition with that of the choices around the node at hand, if what it reads may be outside elsewhere.
Expr BackPropagation::where_inside(const Expr& e, const Expr& where, const std::vector<LoopVar>& vars) const {
  if (!path_) return where;
  Ranges ranges = known_ranges(kernel_, vars);
  // Other indices and divisors than those from data, and wrapped ones, are proved whatever the choices are.
  const auto is_checked = [](const Expr& x) { return has_node<Read>(x) || has_node<Select>(x); };
  const auto may_fail = [&](const Expr& n) {
    if (const auto* r = std::get_if<Reduce>(&n->node)) add_loops(ranges, r->vars);
    if (const auto* r = std::get_if<Read>(&n->node)) {
      const std::vector<Expr>& dims = kernel_.tensor(r->tensor).dims;
      for (size_t d = 0; d < dims.size() && !r->fill; ++d)
        if (is_checked(r->index[d]) &&
            (!proves_not_negative(linear_form(r->index[d]), ranges) || !proves_lt(r->index[d], dims[d], ranges)))
          return true;
    }
    const auto* a = std::get_if<Apply>(&n->node);
    return a && is_int(n->type) && (a->op == ScalarOp::FloorDiv || a->op == ScalarOp::Mod) && is_checked(a->args[1]);
  };
  return any_node(e, may_fail) ? both(path_, where) : where;
}

void BackPropagation::hand_on(const Expr& e, const Expr& adjoint, const Region& in) {
  if (const auto* r = std::get_if<Read>(&e->node)) {
    const std::vector<Expr>& dims = kernel_.tensor(r->tensor).dims;
    if (is_active_(r->tensor))
      contributions.push_back(
          {r->tensor, r->index, adjoint, in.vars, where_inside(e, in.where, in.vars), r->fill != nullptr});
    if (r->fill) add(r->fill, select(inside(r->index, dims), constant_float(0, adjoint->type), adjoint));
  } else if (const auto* s = std::get_if<Select>(&e->node)) {
    const Expr zero = constant_float(0, adjoint->type);
    add(s->yes, select(s->cond, adjoint, zero), s->cond);
    add(s->no, select(s->cond, zero, adjoint), apply(ScalarOp::Not, {s->cond}));
  } else if (const auto* sum = std::get_if<Reduce>(&e->node)) {
    Reduce inside = *sum;
    inside.where = where_inside(e, sum->where, in.vars);
    reduction(e, inside, adjoint, in);
  } else if (const auto* a = std::get_if<Apply>(&e->node)) {
    apply_rule(e, *a, adjoint);
  }
}

/// Handles the parts of complex numbers. False for holomorphic functions: their derivative is that of the row.
bool BackPropagation::complex_rule(const Expr& e, const Apply& a, const Expr& adjoint) {
  const Expr& z = a.args[0];
  const Expr zero = constant_float(0, adjoint->type);
  const auto to_z = [&](const Expr& re, const Expr& im) { add(z, apply_as(ScalarOp::Complex, {re, im}, z->type)); };
  const auto each = [&](FunctionRef<Expr(const Expr&)> f) { return over_choices(adjoint, f); };
  const auto real = [](const Expr& g) { return apply(ScalarOp::Real, {g}); };
  switch (a.op) {
    case ScalarOp::Real:
      return add(z, each([&](const Expr& g) { return apply_as(ScalarOp::Complex, {g, zero}, z->type); })), true;
    case ScalarOp::Imag:
      return add(z, each([&](const Expr& g) { return apply_as(ScalarOp::Complex, {zero, g}, z->type); })), true;
    case ScalarOp::Conj: return add(z, each([](const Expr& g) { return apply(ScalarOp::Conj, {g}); })), true;
    case ScalarOp::Complex:
      add(z, each(real));
      return add(a.args[1], each([](const Expr& g) { return apply(ScalarOp::Imag, {g}); })), true;
    case ScalarOp::Cast:
      return add(z, each([&](const Expr& g) {
                   return is_complex(z->type) ? cast_to(g, z->type) : cast_to(real(g), dtype_row(z->type).compute);
                 })),
             true;
    case ScalarOp::Abs:
    case ScalarOp::Arg: break;
    default: return false;
  }
  const Expr re = apply(ScalarOp::Real, {z}), im = apply(ScalarOp::Imag, {z});
  const bool is_abs = a.op == ScalarOp::Abs;
  const Expr size = is_abs ? e : apply(ScalarOp::Add, {apply(ScalarOp::Sq, {re}), apply(ScalarOp::Sq, {im})});
  const auto part = [&](const Expr& direction) {
    return select(apply(ScalarOp::Eq, {size, zero}), zero, chained(adjoint, apply(ScalarOp::Div, {direction, size})));
  };
  return is_abs ? to_z(part(re), part(im)) : to_z(part(apply(ScalarOp::Neg, {im})), part(re)), true;
}

/// Roots of values such as sums of squares have the derivative 0 at 0, where the row's derivative is infinite.
Expr BackPropagation::derivative(const Expr& e, const Apply& a, size_t k) const {
  const Expr d = rows_.derivative(e, k);
  const Constant* exponent = a.op == ScalarOp::Pow ? as_constant(a.args[1]) : nullptr;
  const bool is_root =
      a.op == ScalarOp::Sqrt || a.op == ScalarOp::Cbrt || (a.op == ScalarOp::Pow && (!exponent || exponent->f < 1));
  if (k > 0 || !is_root || !is_flat_at_zero(a.args[0], kernel_)) return d;
  const Expr zero = constant_float(0, e->type);
  return select(apply(ScalarOp::Eq, {a.args[0], zero}), zero, d);
}

void BackPropagation::apply_rule(const Expr& e, const Apply& a, const Expr& adjoint) {
  if (const auto stated = stated_derivative(e)) {
    add(stated->x, chained(adjoint, stated->d));
    if (stated_derivative(stated->value)) add(stated->value, adjoint);
    return;
  }
  if ((is_complex(e->type) || is_complex(a.args[0]->type)) && complex_rule(e, a, adjoint)) return;
  if (a.op == ScalarOp::Real || a.op == ScalarOp::Conj) return add(a.args[0], adjoint);
  if (a.op == ScalarOp::Imag || a.op == ScalarOp::Arg) return;  // of a real number: 0, or a step
  if (a.op == ScalarOp::Cast)
    return add(a.args[0],
               over_choices(adjoint, [&](const Expr& g) { return cast_to(g, dtype_row(a.args[0]->type).compute); }));
  if (!rows_.has(a.op)) {
    why = fmt::format("{} has no derivative", scalar_op_row(a.op).name);
    return;
  }
  for (size_t k = 0; k < a.args.size(); ++k)
    if (depends(a.args[k])) {
      const Expr d = derivative(e, a, k);
      if (a.op == ScalarOp::Div && k == 1 && !is_complex(e->type)) {  // the divisor, outermost, can leave a sum
        add(a.args[k], over_choices(chained(adjoint, apply(ScalarOp::Neg, {e})), [&](const Expr& g) {
              return apply(ScalarOp::Div, {g, a.args[k]});
            }));
        continue;
      }
      const Constant* c = as_constant(d);
      if (!c || c->f != 0) add(a.args[k], chained(adjoint, conjugate(d)));
    }
}

/// The product of all other values of the reduction. Few are multiplied; the product of many is that of the values
/// which are not 0, divided by the one that is left out.
Expr BackPropagation::others(const Expr& e, const Reduce& r, const Region& in) {
  constexpr int64_t kFew = 8;
  const Expr zero = constant_of(0, e->type), one = constant_of(1, e->type), none = constant_int(0);
  int64_t steps = 1;
  for (const LoopVar& v : r.vars)
    steps *= std::clamp<int64_t>(constant_value(v.extent).value_or(kFew + 1), 0, kFew + 1);
  if (steps > kFew) {
    const Expr is_zero = apply(ScalarOp::Eq, {r.value, zero});
    const auto over_all = [&](const char* name, Reducer op, const Expr& value) {
      return noted(name, e, reduce(op, r.vars, r.where, value, value->type), in);
    };
    const Expr zeros = over_all("zeros", Reducer::Sum, select(is_zero, constant_int(1), none)),
               rest = over_all("rest", Reducer::Prod, select(is_zero, one, r.value));
    return select(is_zero, select(apply(ScalarOp::Eq, {zeros, constant_int(1)}), rest, zero),
                  select(apply(ScalarOp::Eq, {zeros, none}), apply(ScalarOp::Div, {rest, r.value}), zero));
  }
  std::vector<LoopVar> vars;
  std::map<std::string, Expr> to;
  Expr apart;
  for (const LoopVar& v : r.vars) {
    vars.push_back({names_(v.name), v.extent});
    to[v.name] = var_ref(vars.back().name);
    const Expr differs = apply(ScalarOp::Ne, {to[v.name], var_ref(v.name)});
    apart = apart ? apply(ScalarOp::Or, {apart, differs}) : differs;
  }
  const Expr where = r.where ? both(substitute(r.where, to), apart) : apart;
  return reduce(Reducer::Prod, vars, where, substitute(r.value, to), e->type);
}

/// A value of a reduction for each element that `e` is computed for, made by a statement.
Expr BackPropagation::noted(const char* name, const Expr& e, const Expr& value, const Region& in) {
  KernelStatement s;
  for (const LoopVar& v : in.vars)
    if (mentions(e, v.name) || mentions(value, v.name)) s.loops.push_back(v);
  s.index = var_refs(s.loops);
  s.target = kernel_.add_temp(names_(name), value->type, mapped(s.loops, &LoopVar::extent));
  s.value = value;
  s.formula = kernel_.tensors.back().name + " = " + to_text(s.value, tensor_names(kernel_));
  positions.push_back(s);
  return read_of(s.target, value->type, s.index);
}

/// The first step of a maximum or minimum that has its value.
Expr BackPropagation::first_extreme(const Expr& e, const Reduce& r, const Region& in) {
  const Reducer position = r.op == Reducer::Max ? Reducer::ArgMax : Reducer::ArgMin;
  const Expr at = noted("at", e, reduce(position, r.vars, r.where, r.value, DType::I64), in);
  int64_t steps = 1;
  for (const LoopVar& v : r.vars) steps *= constant_value(v.extent).value_or(0);
  if (steps > 0) elements[std::get<Read>(at->node).tensor] = {0, steps - 1};
  return at;
}

/// The variables of a reduction at one of its steps. Quotients by extents that only run time knows are noted in 32
/// bits, which vectors can divide. A window of more steps than these have would take long, and passes its gradient to
/// one of its elements.
std::map<std::string, Expr> BackPropagation::steps_of(const Expr& e, const Reduce& r, const Expr& step,
                                                      const Region& in) {
  const auto narrow = [](const Expr& x) {
    return cast_to(apply(ScalarOp::Min, {x, constant_int(INT32_MAX)}), DType::I32);
  };
  std::map<std::string, Expr> at;
  Expr left = step;
  for (size_t v = r.vars.size(); v-- > 1;) {
    const Expr& extent = r.vars[v].extent;
    if (constant_value(extent)) {
      at[r.vars[v].name] = apply(ScalarOp::Mod, {left, extent});
      left = apply(ScalarOp::FloorDiv, {left, extent});
    } else {
      const Expr rows = noted("row", e, apply(ScalarOp::FloorDiv, {narrow(left), narrow(extent)}), in);
      at[r.vars[v].name] = apply(ScalarOp::Min, {left - cast_to(rows, DType::I64) * extent, extent - constant_int(1)});
      left = cast_to(rows, DType::I64);
    }
  }
  if (!r.vars.empty()) at[r.vars[0].name] = left;
  return at;
}

/// A maximum passes its gradient to one element. If elements are read at the variables themselves or in disjoint
/// windows, each element tests whether it is the one; otherwise, as in overlapping pooling windows and in prefixes, the
/// gradient is scattered to the element of that step.
void BackPropagation::extreme(const Expr& e, const Reduce& r, const Expr& adjoint, const Region& in) {
  const Expr first = first_extreme(e, r, in);
  Region below = in;
  if (keeps_variables || reads_each_once(r, in)) {
    append(below.vars, r.vars);
    below.where = both(both(in.where, r.where), apply(ScalarOp::Eq, {step_of(r.vars), first}));
    return region(r.value, adjoint, below);
  }
  const std::map<std::string, Expr> at = steps_of(e, r, first, in);
  if (r.where) below.where = both(in.where, substitute(r.where, at));
  region(substitute(r.value, at), adjoint, below);
}

/// Whether no element is read for two results.
bool BackPropagation::reads_each_once(const Reduce& reduction, const Region& in) const {
  const auto is_shared = [&](const LoopVar& v) {
    return mentions(reduction.where, v.name) && !mentions(reduction.value, v.name);
  };
  if (reduction.where && any_of(in.vars, is_shared)) return false;
  const auto is_apart = [&](const Expr& index) {
    return none_of(reduction.vars, [&](const LoopVar& v) { return mentions(index, v.name); });
  };
  const auto is_tiled = [&](const Expr& index, const Expr& dim) {
    return any_of(reduction.vars, [&](const LoopVar& low) {
      return any_of(in.vars, [&](const LoopVar& v) {
        const auto by = affine_in(index, v.name);
        return by && same(simplify(by->coefficient), low.extent) && same(simplify(by->rest), var_ref(low.name)) &&
               same(simplify(v.extent * low.extent), dim);
      });
    });
  };
  return all_reads(reduction.value, [&](const Read& r) {
    for (size_t d = 0; d < r.index.size(); ++d) {
      const Expr& i = r.index[d];
      const bool one = std::holds_alternative<VarRef>(i->node) || is_apart(i);
      if (!one && !is_tiled(i, kernel_.tensor(r.tensor).dims[d])) return false;
    }
    return true;
  });
}

void BackPropagation::reduction(const Expr& e, const Reduce& r, const Expr& adjoint, const Region& in) {
  if (r.op == Reducer::Max || r.op == Reducer::Min) return extreme(e, r, adjoint, in);
  Region below = in;
  append(below.vars, r.vars);
  below.where = both(in.where, r.where);
  Expr inner = adjoint;
  if (r.op == Reducer::Prod && !r.vars.empty()) inner = chained(adjoint, conjugate(others(e, r, in)));
  else if (r.op != Reducer::Sum && r.op != Reducer::Prod) why = fmt::format("{} has no derivative", name_of(r.op));
  region(r.value, inner, below);
}

}  // namespace tenon
