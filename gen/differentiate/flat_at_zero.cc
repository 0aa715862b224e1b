// Values that are 0 where their gradient is 0, such as sums of squares.
#include <map>

#include "differentiate/back_propagate.h"
#include "support/ranges.h"

namespace tenon {
namespace {

class FlatValues {
 public:
  explicit FlatValues(const Kernel& kernel) : kernel_(kernel) {}

  bool holds(const Expr& e) {
    if (const Constant* c = as_constant(e)) return holds_reals(e->type) && c->f == 0;
    if (const auto* r = std::get_if<Read>(&e->node)) return (!r->fill || holds(r->fill)) && assigned(r->tensor);
    if (const auto* s = std::get_if<Select>(&e->node)) return holds(s->yes) && holds(s->no);
    if (const auto* r = std::get_if<Reduce>(&e->node)) return adds(r->op) && holds(r->value);
    const auto* a = std::get_if<Apply>(&e->node);
    return a && made_by(*a);
  }

 private:
  static bool adds(Reducer op) { return op == Reducer::Sum || op == Reducer::Prod || op == Reducer::Max; }

  bool made_by(const Apply& a) {
    const auto is_flat = [&](const Expr& x) { return holds(x); };
    switch (a.op) {
      case ScalarOp::Abs: return true;
      case ScalarOp::Sq: return !is_complex(a.args[0]->type);
      case ScalarOp::Add: return all_of(a.args, is_flat);
      case ScalarOp::Mul: return any_flat_or_twice(factors_of(a));
      case ScalarOp::Max:
      case ScalarOp::Min: return any_of(a.args, is_flat);
      case ScalarOp::Pow:
      case ScalarOp::Div:
      case ScalarOp::Sqrt:
      case ScalarOp::Cbrt:
      case ScalarOp::Cast: return holds(a.args[0]);
      default: return false;
    }
  }

  static std::vector<Expr> factors_of(const Apply& product) {
    std::vector<Expr> out;
    for (const Expr& x : product.args) {
      const auto* a = std::get_if<Apply>(&x->node);
      if (!a || a->op != ScalarOp::Mul) out.push_back(x);
      else append(out, factors_of(*a));
    }
    return out;
  }

  bool any_flat_or_twice(const std::vector<Expr>& factors) {
    for (size_t i = 0; i < factors.size(); ++i)
      if (holds(factors[i]) || std::any_of(factors.begin(), factors.begin() + static_cast<std::ptrdiff_t>(i),
                                           [&](const Expr& f) { return same(f, factors[i]); }))
        return true;
    return false;
  }

  /// All statements that write the tensor: assignments and sums. A value that they read in turn is that of before.
  bool assigned(int tensor) {
    const auto [known, is_new] = known_.emplace(tensor, true);
    if (!is_new) return known->second;
    bool all = true, any = false;
    for (const KernelStatement& s : kernel_.body) {
      if (s.target != tensor) continue;
      any = true;
      all = all && (s.update == Update::Assign || s.update == Update::Add) && holds(s.value);
    }
    return known->second = any && all;
  }

  const Kernel& kernel_;
  std::map<int, bool> known_;
};

}  // namespace

bool is_flat_at_zero(const Expr& e, const Kernel& kernel) { return FlatValues(kernel).holds(e); }

}  // namespace tenon
