// Y[i,e] = sum[j](p[i,j]*V[j,e])/z[i] becomes P[i,j] = p[i,j]/z[i], Y[i,e] = sum[j](P[i,j]*V[j,e]): the gradient of z
// then reads P and its gradient, which that of p needs too, instead of another product, the sum.
#include "algebra/fresh_names.h"
#include "differentiate/gradient_steps.h"
#include "support/ranges.h"

namespace tenon {
namespace {

struct Quotient {
  Reduce sum;
  Expr divided, other, divisor;  ///< of the terms: the factor with as few loops as the divisor, and the other one
};

std::optional<Quotient> quotient_of(const Expr& value, const std::vector<LoopVar>& loops) {
  const Apply* a = as_apply(value, ScalarOp::Div);
  const auto* sum = a ? std::get_if<Reduce>(&a->args[0]->node) : nullptr;
  const Apply* product = sum && sum->op == Reducer::Sum && !sum->where ? as_apply(sum->value, ScalarOp::Mul) : nullptr;
  if (!product) return std::nullopt;
  for (const size_t at : {size_t{0}, size_t{1}}) {
    const Expr &divided = product->args[at], &other = product->args[1 - at];
    const bool fewer = any_of(loops, [&](const LoopVar& v) {
      return mentions(other, v.name) && !mentions(divided, v.name) && !mentions(a->args[1], v.name);
    });
    if (fewer && is_float(divided->type)) return Quotient{*sum, divided, other, a->args[1]};
  }
  return std::nullopt;
}

}  // namespace

void divide_first(Kernel& kernel, FunctionRef<bool(const Expr&)> is_active, FreshNames& names) {
  for (size_t i = 0; i < kernel.body.size(); ++i) {
    KernelStatement& s = kernel.body[i];
    const Apply* cast = as_apply(s.value, ScalarOp::Cast);
    const auto q = is_in_recurrence(s) ? std::nullopt : quotient_of(cast ? cast->args[0] : s.value, s.loops);
    if (!q || !is_active(q->divisor)) continue;
    KernelStatement first;
    first.value = apply(ScalarOp::Div, {q->divided, q->divisor});
    for (const LoopVar& v : s.loops)
      if (mentions(first.value, v.name)) first.loops.push_back(v);
    append(first.loops, q->sum.vars);
    first.index = var_refs(first.loops);
    first.target = kernel.add_temp(names("q"), first.value->type, mapped(first.loops, &LoopVar::extent));
    first.formula = kernel.tensor(first.target).name + " = " + to_text(first.value, tensor_names(kernel));
    const Expr read = read_of(first.target, first.value->type, first.index);
    const Expr sum =
        reduce(Reducer::Sum, q->sum.vars, nullptr, apply(ScalarOp::Mul, {read, q->other}), q->sum.value->type);
    s.value = cast ? cast_to(sum, s.value->type) : sum;
    kernel.body.insert(kernel.body.begin() + static_cast<std::ptrdiff_t>(i++), std::move(first));
  }
}

}  // namespace tenon
