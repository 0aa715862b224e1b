// bounded-exponents: exp becomes exp_bounded, which has fewer steps, where the argument is at most 40: x[p,d] - m[p]
// with m the maximum of its row, -abs(x) and other forms that are never positive, and select(x > 40, 40, x). mul_exp(a,
// x) becomes times_exp(a, x, exp(x)), which shares exp(x) with the rest of the statement.
#include "lower/kernel/kernel_passes.h"

namespace tenon {
namespace {

using Bindings = std::map<std::string, Expr>;

enum class Sign : uint8_t { unknown, not_negative, not_positive };

Sign opposite(Sign s) {
  return s == Sign::unknown ? s : s == Sign::not_negative ? Sign::not_positive : Sign::not_negative;
}

Sign sign_of(const Expr& e);

/// Whether an expression is a number other than 0. A quotient by a zero of the other sign is infinite with that sign.
bool is_apart_from_zero(const Expr& e) {
  const auto* c = std::get_if<Constant>(&e->node);
  return c && (c->f > 0 || c->f < 0);
}

/// The sign of products, and of quotients by numbers.
Sign sign_of_product(const Apply& a) {
  if (a.op == ScalarOp::Div && !is_apart_from_zero(a.args[1])) return Sign::unknown;
  const bool square = a.op == ScalarOp::Mul && same(a.args[0], a.args[1]);
  const Sign left = sign_of(a.args[0]), right = sign_of(a.args[1]);
  if (square) return Sign::not_negative;
  if (left == Sign::unknown || right == Sign::unknown) return Sign::unknown;
  return left == right ? Sign::not_negative : Sign::not_positive;
}

/// Of the lesser (or greater) of two, one that is not positive (or not negative) decides.
Sign sign_of_extreme(const Apply& a, Sign decides) {
  const Sign left = sign_of(a.args[0]), right = sign_of(a.args[1]);
  if (left == decides || right == decides) return decides;
  return left == right ? left : Sign::unknown;
}

Sign sign_of(const Apply& a) {
  switch (a.op) {
    case ScalarOp::Abs:
    case ScalarOp::Sq:
    case ScalarOp::Sqrt:
    case ScalarOp::Exp: return Sign::not_negative;
    case ScalarOp::Neg: return opposite(sign_of(a.args[0]));
    case ScalarOp::Mul:
    case ScalarOp::Div: return sign_of_product(a);
    case ScalarOp::Min: return sign_of_extreme(a, Sign::not_positive);
    case ScalarOp::Max: return sign_of_extreme(a, Sign::not_negative);
    case ScalarOp::Add:
    case ScalarOp::Sub: {
      const Sign right = sign_of(a.args[1]);
      return sign_of(a.args[0]) == (a.op == ScalarOp::Add ? right : opposite(right)) ? sign_of(a.args[0])
                                                                                     : Sign::unknown;
    }
    default: return Sign::unknown;
  }
}

/// The sign that follows from the form of a float expression; it may still be NaN.
Sign sign_of(const Expr& e) {
  if (!is_float(e->type)) return Sign::unknown;
  if (const auto* c = std::get_if<Constant>(&e->node)) {
    return c->f >= 0 ? Sign::not_negative : c->f < 0 ? Sign::not_positive : Sign::unknown;
  }
  const auto* a = std::get_if<Apply>(&e->node);
  return a ? sign_of(*a) : Sign::unknown;
}

/// Whether the form implies that a float is at most 40, up to which the shorter function is accurate.
bool is_bounded(const Expr& e) {
  const auto* s = std::get_if<Select>(&e->node);
  const auto* above = s ? std::get_if<Apply>(&s->cond->node) : nullptr;
  if (!above || above->op != ScalarOp::Gt || !same(above->args[0], s->no)) return false;
  const auto few = [](const Expr& x) {
    constexpr double kMost = 40;
    const auto* c = std::get_if<Constant>(&x->node);
    return c && is_float(x->type) && c->f <= kMost;
  };
  return few(s->yes) && few(above->args[1]);
}

class BoundedExponents {
 public:
  explicit BoundedExponents(const Kernel& k) : k_(k) {}

  Kernel run() {
    for (size_t i = 0; i < k_.body.size(); ++i) {
      at_ = i;
      KernelStatement& s = k_.body[i];
      scope_ = s.loops;
      s.value = rewrite(s.value);
    }
    return std::move(k_);
  }

 private:
  Expr rewrite(const Expr& e) {
    const size_t outer = scope_.size();
    if (const auto* r = std::get_if<Reduce>(&e->node)) scope_.insert(scope_.end(), r->vars.begin(), r->vars.end());
    const Expr r = map_children(e, [&](const Expr& c) { return rewrite(c); });
    scope_.resize(outer);
    const auto* a = std::get_if<Apply>(&r->node);
    if (!a || !is_float(r->type)) return r;
    if (a->op == ScalarOp::MulExp) return apply(ScalarOp::TimesExp, {a->args[0], a->args[1], exp_of(a->args[1])});
    return a->op == ScalarOp::Exp ? exp_of(a->args[0]) : r;
  }

  Expr exp_of(const Expr& x) const {
    const auto* difference = std::get_if<Apply>(&x->node);
    const bool bounded =
        sign_of(x) == Sign::not_positive || is_bounded(x) ||
        (difference && difference->op == ScalarOp::Sub && exceeds_none(difference->args[0], difference->args[1]));
    return apply(bounded ? ScalarOp::ExpBounded : ScalarOp::Exp, {x});
  }

  /// Whether `bound_read` is an element of a temp that holds the maximum of values of which `value` is one.
  bool exceeds_none(const Expr& value, const Expr& bound_read) const {
    const auto* read = std::get_if<Read>(&bound_read->node);
    if (!read || read->fill || k_.tensor(read->tensor).role != Role::Temp) return false;
    const KernelStatement* definition = only_writer(read->tensor);
    const auto* row_maximum = definition ? std::get_if<Reduce>(&definition->value->node) : nullptr;
    if (!row_maximum || row_maximum->op != Reducer::Max || row_maximum->where) return false;
    Bindings bound;
    for (size_t d = 0; d < read->index.size(); ++d) {
      const auto* v = std::get_if<VarRef>(&definition->index[d]->node);
      if (v) bound.emplace(v->name, read->index[d]);
    }
    return bound.size() == definition->loops.size() && is_one_of(*row_maximum, 0, bound, value);
  }

  /// The statement above this one that defines the tensor; null where several write it.
  const KernelStatement* only_writer(int tensor) const {
    const KernelStatement* found = nullptr;
    for (const KernelStatement& s : k_.body) {
      if (s.target != tensor) continue;
      if (found || &s >= &k_.body[at_] || s.update != Update::Assign) return nullptr;
      found = &s;
    }
    return found;
  }

  /// Tries variables in scope for those of the maximum, from number `next` on, that run as far.
  bool is_one_of(const Reduce& maximum, size_t next, Bindings& bound, const Expr& value) const {
    if (next == maximum.vars.size()) return same(substitute(maximum.value, bound), value);
    const LoopVar& v = maximum.vars[next];
    for (const LoopVar& candidate : scope_) {
      if (!same(candidate.extent, v.extent)) continue;
      bound.insert_or_assign(v.name, var_ref(candidate.name));
      if (is_one_of(maximum, next + 1, bound, value)) return true;
    }
    return false;
  }

  Kernel k_;
  size_t at_ = 0;
  std::vector<LoopVar> scope_;  ///< variables around the expression that is looked at
};

}  // namespace

Kernel bounded_exponents(const Kernel& k) { return BoundedExponents(k).run(); }

}  // namespace tenon
