// Interval arithmetic over the sizes of buffers.
#include "ir/nest/workspace_bound.h"

#include <algorithm>

namespace tenon {
namespace {

struct Interval {
  int64_t low = 0, high = 0;
};
using Bound = std::optional<Interval>;

Bound bound_of(const Operand& v, const Kernel& kernel);

/// The interval that the results at the four corners span.
template <class F>
Bound corners(const Interval& a, const Interval& b, F f) {
  int64_t r[4];
  const int64_t x[2] = {a.low, a.high}, y[2] = {b.low, b.high};
  for (int i = 0; i < 4; ++i)
    if (f(x[i / 2], y[i % 2], &r[i])) return std::nullopt;
  return Interval{*std::min_element(r, r + 4), *std::max_element(r, r + 4)};
}

Bound combine(ScalarOp op, const Interval& a, const Interval& b) {
  switch (op) {
    case ScalarOp::Add:
      return corners(a, b, [](int64_t x, int64_t y, int64_t* r) { return __builtin_add_overflow(x, y, r); });
    case ScalarOp::Sub:
      return corners(a, b, [](int64_t x, int64_t y, int64_t* r) { return __builtin_sub_overflow(x, y, r); });
    case ScalarOp::Mul:
      return corners(a, b, [](int64_t x, int64_t y, int64_t* r) { return __builtin_mul_overflow(x, y, r); });
    case ScalarOp::Min: return Interval{std::min(a.low, b.low), std::min(a.high, b.high)};
    case ScalarOp::Max: return Interval{std::max(a.low, b.low), std::max(a.high, b.high)};
    case ScalarOp::FloorDiv:
      if (b.low < 1) return std::nullopt;
      return corners(a, b, [](int64_t x, int64_t y, int64_t* r) { return *r = x / y - (x % y < 0), false; });
    case ScalarOp::Mod:
      if (b.low < 1) return std::nullopt;
      return Interval{0, b.high - 1};
    default: return std::nullopt;
  }
}

Bound bound_of(const Operand& v, const Kernel& kernel) {
  if (const auto c = constant_value(v)) return Interval{*c, *c};
  if (const auto* s = std::get_if<VSize>(&v->node)) {
    for (const Size& size : kernel.sizes)
      if (size.name == s->name && size.hi != INT64_MAX) return Interval{size.lo, size.hi};
    return std::nullopt;
  }
  if (const auto* s = std::get_if<VSelect>(&v->node)) {
    const Bound yes = bound_of(s->yes, kernel), no = bound_of(s->no, kernel);
    return yes && no ? Bound(Interval{std::min(yes->low, no->low), std::max(yes->high, no->high)}) : std::nullopt;
  }
  const auto* a = std::get_if<VApply>(&v->node);
  if (!a || a->args.empty() || a->args.size() > 2) return std::nullopt;
  const Bound x = bound_of(a->args[0], kernel);
  if (a->args.size() == 1) return x && a->op == ScalarOp::Neg ? combine(ScalarOp::Sub, {0, 0}, *x) : std::nullopt;
  const Bound y = bound_of(a->args[1], kernel);
  return x && y ? combine(a->op, *x, *y) : std::nullopt;
}

std::optional<int64_t> maximum_bytes(const LoopNest& nest, bool per_worker) {
  int64_t total = 0;
  for (const Buffer& b : nest.buffers) {
    if (b.storage != Storage::Workspace || b.per_worker != per_worker) continue;
    const Bound n = bound_of(b.elements, *nest.kernel);
    if (!n) return std::nullopt;
    total += (std::max<int64_t>(n->high, 0) * bytes_of(b.dtype) + 63) / 64 * 64;
  }
  return total;
}

}  // namespace

std::optional<int64_t> maximum_workspace_bytes(const LoopNest& nest) { return maximum_bytes(nest, false); }
std::optional<int64_t> maximum_worker_bytes(const LoopNest& nest) { return maximum_bytes(nest, true); }

}  // namespace tenon
