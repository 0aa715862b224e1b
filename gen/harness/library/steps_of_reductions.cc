// Which kernels compute the same from results over some of the reduced dimensions as from all elements.
#include "harness/library/kernel_forms.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Whether intermediate results lose nothing: they have the type in which elements are combined, or are elements.
bool keeps_results(const Reduce& r, DType element) {
  if (r.op == Reducer::Sum || r.op == Reducer::Prod) return r.value->type == element;
  return r.op == Reducer::Max || r.op == Reducer::Min || r.op == Reducer::Any || r.op == Reducer::All;
}

/// The element that a reduction combines, itself or its magnitude: a sum of magnitudes is its own.
const Read* combined(const Reduce& r) {
  const Apply* magnitude = is_float(r.value->type) ? as_apply(r.value, ScalarOp::Abs) : nullptr;
  return std::get_if<Read>(&(magnitude && r.op == Reducer::Sum ? magnitude->args[0] : r.value)->node);
}

/// The reduction of a sum, or of a mean that is divided by the size `count`; null for another value.
const Reduce* reduction_of(const Expr& value, const std::string& count) {
  const Apply* mean = count.empty() ? nullptr : as_apply(value, ScalarOp::Div);
  if (!count.empty() && (!mean || !same(mean->args[1], cast_to(size_ref(count), value->type)))) return nullptr;
  const auto* r = std::get_if<Reduce>(&(mean ? mean->args[0] : value)->node);
  return r && (!mean || r->op == Reducer::Sum) ? r : nullptr;
}

/// Whether the size is the number of elements that are combined.
bool is_count(const Kernel& k, const std::string& size, const Expr& extent) {
  return any_of(k.facts, [&](const Expr& fact) {
    const Apply* equal = as_apply(fact, ScalarOp::Eq);
    return equal && same(equal->args[0], size_ref(size)) && same(equal->args[1], extent);
  });
}

}  // namespace

bool reduces_in_steps(const LibraryKernel& of) {
  const Kernel& k = of.kernel;
  if (of.present.size() != 1 || !of.computes.empty()) return false;
  if (k.body.size() != 1 || !k.parts.empty() || k.call || !k.checks.empty() || !k.reassociate) return false;
  if (k.tensors.size() != 2 || !k.attrs.empty() || k.sizes.size() < 3 || k.sizes.size() > 4) return false;
  const KernelStatement& s = k.body[0];
  const std::string count = k.sizes.size() == 4 ? k.sizes[3].name : "";
  const Reduce* r = reduction_of(s.value, count);
  const Read* element = r && !r->where && !r->start && r->vars.size() == 1 ? combined(*r) : nullptr;
  if (!element || element->fill || element->index.size() != 3 || s.index.size() != 3 || s.loops.size() != 3)
    return false;
  const Tensor &from = k.tensor(element->tensor), &to = k.tensor(s.target);
  for (size_t d = 0; d < 3; ++d) {
    const std::string& var = d == 1 ? r->vars[0].name : s.loops[d].name;
    if (!same(from.dims[d], size_ref(k.sizes[d].name)) || !is_variable(element->index[d], var)) return false;
    if (d != 1 && (!same(to.dims[d], from.dims[d]) || !is_variable(s.index[d], var))) return false;
  }
  if (!count.empty() && !is_count(k, count, from.dims[1])) return false;
  return is_one(to.dims[1]) && from.dtype == to.dtype && keeps_results(*r, from.dtype);
}

}  // namespace tenon
