// Bounds of the sizes of buffers and of the ends of loops.
#include "ir/nest/workspace_bound.h"

#include <map>
#include <string>

#include "ir/number/interval.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The intervals of lets.
using LetBounds = std::map<std::string, Interval>;

Interval bound_of(const Operand& v, const Kernel& kernel, const LetBounds& lets = {}) {
  if (const auto c = constant_value(v)) return {*c, *c};
  if (const auto* s = std::get_if<VSize>(&v->node)) {
    const Size* known = find_pointer(kernel.sizes, [&](const Size& size) { return size.name == s->name; });
    return known && known->hi != INT64_MAX ? Interval{known->lo, known->hi} : kAnyInteger;
  }
  if (const auto* var = std::get_if<VVar>(&v->node)) {
    const auto let = lets.find(var->name);
    return let == lets.end() ? kAnyInteger : let->second;
  }
  if (const auto* s = std::get_if<VSelect>(&v->node))
    return hull(bound_of(s->yes, kernel, lets), bound_of(s->no, kernel, lets));
  const auto* a = std::get_if<VApply>(&v->node);
  if (!a || a->args.empty() || a->args.size() > 2) return kAnyInteger;
  const Interval x = bound_of(a->args[0], kernel, lets);
  if (a->args.size() == 1) return a->op == ScalarOp::Neg ? combined(ScalarOp::Sub, {0, 0}, x) : kAnyInteger;
  return combined(a->op, x, bound_of(a->args[1], kernel, lets));
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

std::optional<int64_t> maximum_iterations(const LoopNest& nest) {
  LetBounds lets;
  for (const Stmt& s : nest.body) {
    if (const auto* let = std::get_if<SLet>(&s.node)) lets[let->name] = bound_of(let->value, *nest.kernel, lets);
    const auto* loop = std::get_if<SFor>(&s.node);
    const int64_t most = loop ? bound_of(loop->end, *nest.kernel, lets).hi : 0;
    if (loop) return most >= kFarInteger ? std::nullopt : std::optional(most);
  }
  return std::nullopt;
}

}  // namespace tenon
