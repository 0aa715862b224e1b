// drop-idle: removes statements whose loops have no iteration, and replaces empty sums by their initial value. Tensors
// used only by them would otherwise be named in the C without memory.

#include "lower/kernel/kernel_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

bool never_runs(const std::vector<LoopVar>& loops) {
  return any_of(loops, [](const LoopVar& v) { return constant_value(v.extent).value_or(1) <= 0; });
}

Expr without_empty_sums(const Expr& e) {
  const auto* r = std::get_if<Reduce>(&e->node);
  if (r && never_runs(r->vars)) return r->start ? without_empty_sums(r->start) : identity_of(r->op, e->type);
  return map_children(e, [](const Expr& c) { return without_empty_sums(c); });
}

}  // namespace

Kernel drop_idle(const Kernel& k) {
  Kernel out = k;
  for (size_t i = out.body.size(); i-- > 0;)
    if (never_runs(out.body[i].loops)) erase_statement(out.body, i);
  for (KernelStatement& s : out.body) s.value = without_empty_sums(s.value);
  return out;
}

}  // namespace tenon
