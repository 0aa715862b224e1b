// Bounds of the sizes of buffers.
#include "ir/nest/workspace_bound.h"

#include "ir/number/interval.h"
#include "support/ranges.h"

namespace tenon {
namespace {

Interval bound_of(const Operand& v, const Kernel& kernel) {
  if (const auto c = constant_value(v)) return {*c, *c};
  if (const auto* s = std::get_if<VSize>(&v->node)) {
    const Size* known = find_pointer(kernel.sizes, [&](const Size& size) { return size.name == s->name; });
    return known && known->hi != INT64_MAX ? Interval{known->lo, known->hi} : kAnyInteger;
  }
  if (const auto* s = std::get_if<VSelect>(&v->node)) return hull(bound_of(s->yes, kernel), bound_of(s->no, kernel));
  const auto* a = std::get_if<VApply>(&v->node);
  if (!a || a->args.empty() || a->args.size() > 2) return kAnyInteger;
  const Interval x = bound_of(a->args[0], kernel);
  if (a->args.size() == 1) return a->op == ScalarOp::Neg ? combined(ScalarOp::Sub, {0, 0}, x) : kAnyInteger;
  return combined(a->op, x, bound_of(a->args[1], kernel));
}

std::optional<int64_t> maximum_bytes(const LoopNest& nest, bool per_worker) {
  int64_t total = 0;
  for (const Buffer& b : nest.buffers) {
    if (b.storage != Storage::Workspace || b.per_worker != per_worker) continue;
    const int64_t most = bound_of(b.elements, *nest.kernel).hi;
    if (most >= kFarInteger) return std::nullopt;
    total += (std::max<int64_t>(most, 0) * bytes_of(b.dtype) + 63) / 64 * 64;
  }
  return total;
}

}  // namespace

std::optional<int64_t> maximum_workspace_bytes(const LoopNest& nest) { return maximum_bytes(nest, false); }
std::optional<int64_t> maximum_worker_bytes(const LoopNest& nest) { return maximum_bytes(nest, true); }

}  // namespace tenon
