// separate-functions: Y[m,n] = X[m,n]*exp(A[n]) names exp(A[n]), which is then computed once for each n and not for
// each element. No compiler moves such functions out of loops.
#include "lower/kernel/kernel_passes.h"
#include "lower/kernel/kernel_ranges.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Functions of many steps. Roots are instructions, which are not worth a temp.
bool is_long(const Expr& e) {
  const auto* a = std::get_if<Apply>(&e->node);
  return a && is_float(e->type) && scalar_op_row(a->op).has('M') && a->op != ScalarOp::Sqrt && a->op != ScalarOp::Rsqrt;
}

class FunctionSeparator {
 public:
  explicit FunctionSeparator(const Kernel& k) : out_(k), sizes_(size_ranges(k)) {}

  Kernel run() {
    for (size_t i = 0; i < out_.body.size(); ++i) {
      const KernelStatement& s = out_.body[i];
      // A state is read as it is at each step, and what a step computes again is another pass's.
      if (is_in_recurrence(s) || s.joined > 0 || s.where) continue;
      // Nor is an operand that may be absent read outside of the loop that asks for it.
      if (any_of(s.loops, [&](const LoopVar& v) { return is_presence(out_, v.extent); })) continue;
      at_ = i;
      loops_ = s.loops;
      const Expr whole = s.value;  // the statement moves when others come before it
      out_.body[at_].value = separated(whole);
      i = at_;
    }
    return std::move(out_);
  }

 private:
  struct Named {
    Expr value;
    std::vector<LoopVar> loops;
    Expr temp;
  };

  Expr separated(const Expr& e) {
    if (std::holds_alternative<Select>(e->node) || std::holds_alternative<Read>(e->node)) return e;
    if (is_long(e))
      if (Expr named = name(e)) return named;
    const auto* r = std::get_if<Reduce>(&e->node);
    if (r && (r->where || r->op == Reducer::Fold)) return e;  // not computed for all elements, or in an order
    const size_t outside = loops_.size();
    if (r) append(loops_, r->vars);
    const Expr out = map_children(e, [&](const Expr& c) { return separated(c); });
    loops_.resize(outside);
    return out;
  }

  /// The temp of a function of elements that fewer loops determine; null where all do.
  Expr name(const Expr& e) {
    KernelStatement made;
    for (const LoopVar& v : loops_)
      if (mentions(e, v.name)) made.loops.push_back(v);
    if (made.loops.empty() || made.loops.size() == loops_.size() || has_node<Reduce>(e) || has_node<Select>(e))
      return nullptr;
    // Factors of products over a reduced variable are computed where these are packed.
    if (any_of(made.loops, [&](const LoopVar& v) { return !has_loop(out_.body[at_].loops, v.name); })) return nullptr;
    bool inputs = true, shared = false;
    each_read(e, [&](const Read& r) {
      const Tensor& t = out_.tensor(r.tensor);
      inputs = inputs && (t.role == Role::Input || t.role == Role::Constant);
      shared = shared || t.shared;  // an earlier statement may have taken its memory
    });
    if (shared) return nullptr;
    const bool own = all_of(made.loops, [&](const LoopVar& v) {  // extents of packed or ragged dims depend on others
      return none_of(loops_, [&](const LoopVar& o) { return mentions(v.extent, o.name); }) && !has_node<Read>(v.extent);
    });
    if (!own || !always_defined(out_, e, ranges_of(made.loops, sizes_))) return nullptr;
    const auto again = find_if(named_, [&](const Named& n) {
      return same(n.value, e) &&
             std::equal(n.loops.begin(), n.loops.end(), made.loops.begin(), made.loops.end(),
                        [](const LoopVar& a, const LoopVar& b) { return same(a.extent, b.extent); });
    });
    if (again != named_.end()) return again->temp;
    made.index = var_refs(made.loops);
    made.value = e;
    made.formula = out_.body[at_].formula;
    const Tensor& target = out_.tensor(out_.body[at_].target);
    made.target = add_temp(out_, target.name + "_part", e->type, mapped(made.loops, &LoopVar::extent));
    const std::vector<LoopVar> loops = made.loops;
    const Expr temp = read_of(made.target, e->type, made.index);
    out_.body.insert(out_.body.begin() + static_cast<std::ptrdiff_t>(at_), std::move(made));
    ++at_;
    if (inputs) named_.push_back({e, loops, temp});  // other tensors may be updated before the next statement
    return temp;
  }

  Kernel out_;
  Ranges sizes_;
  size_t at_ = 0;  ///< the statement at hand
  std::vector<LoopVar> loops_;
  std::vector<Named> named_;
};

}  // namespace

Kernel separate_functions(const Kernel& k) { return FunctionSeparator(k).run(); }

}  // namespace tenon
