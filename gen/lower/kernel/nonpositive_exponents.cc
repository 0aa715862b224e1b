// nonpositive-exponents: exp(x[p,d] - m[p]), with m the maximum x of its row, becomes exp_nonpositive, which has fewer
// steps.
#include "lower/kernel/kernel_passes.h"
#include "lower/kernel/kernel_ranges.h"

namespace tenon {
namespace {

using Bindings = std::map<std::string, Expr>;

class NonpositiveExponents {
 public:
  explicit NonpositiveExponents(const Kernel& k) : k_(k) {}

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
    if (!a || a->op != ScalarOp::Exp || !is_float(r->type)) return r;
    const auto* difference = std::get_if<Apply>(&a->args[0]->node);
    const bool nonpositive =
        difference && difference->op == ScalarOp::Sub && exceeds_none(difference->args[0], difference->args[1]);
    return nonpositive ? apply(ScalarOp::ExpNonpositive, a->args) : r;
  }

  /// Whether `bound_read` is an element of a temp that holds the maximum of values of which `value` is one.
  bool exceeds_none(const Expr& value, const Expr& bound_read) const {
    const auto* read = std::get_if<Read>(&bound_read->node);
    if (!read || read->fill || k_.tensors[static_cast<size_t>(read->tensor)].role != Role::Temp) return false;
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

Kernel nonpositive_exponents(const Kernel& k) { return NonpositiveExponents(k).run(); }

}  // namespace tenon
