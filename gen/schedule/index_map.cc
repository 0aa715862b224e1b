// The same element under two shapes.
#include "schedule/index_map.h"

#include <algorithm>

namespace tenon {
namespace {

struct Axis {
  size_t at;
  int64_t extent, stride;
};

/// Axes of extent above 1, or nothing when something is open.
std::optional<std::vector<Axis>> axes_of(const Tensor& t) {
  std::vector<Axis> out;
  for (size_t k = 0; k < t.dims.size(); ++k) {
    const auto n = constant_value(t.dims[k]), s = constant_value(t.strides[k]);
    if (!n || !s) return std::nullopt;
    if (*n != 1 && *s != 0) out.push_back({k, *n, *s});
  }
  std::sort(out.begin(), out.end(), [](const Axis& a, const Axis& b) { return a.stride < b.stride; });
  return out;
}

bool same_shape(const Tensor& a, const Tensor& b) {
  if (a.dims.size() != b.dims.size()) return false;
  for (size_t k = 0; k < a.dims.size(); ++k)
    if (!same(a.dims[k], b.dims[k]) || !same(a.strides[k], b.strides[k])) return false;
  return true;
}

Expr quotient(const Expr& e, int64_t n) { return n == 1 ? e : apply(ScalarOp::FloorDiv, {e, constant_int(n)}); }
Expr remainder(const Expr& e, int64_t n) { return apply(ScalarOp::Mod, {e, constant_int(n)}); }

/// Spreads one term over the target's axes from the fastest that it reaches upward. False when it does not fit evenly.
bool spread(Expr e, Axis from, const std::vector<Axis>& to, std::vector<Expr>& out) {
  while (from.extent > 1) {
    const Axis* a = nullptr;
    for (const Axis& t : to)
      if (t.stride <= from.stride && from.stride < t.stride * t.extent) a = &t;
    if (!a || from.stride % a->stride != 0) return false;
    const int64_t step = from.stride / a->stride, room = a->stride * a->extent;
    Expr& sum = out[a->at];
    if (from.stride * from.extent <= room) {
      sum = sum + e * constant_int(step);
      return true;
    }
    if (room % from.stride != 0) return false;
    const int64_t inside = room / from.stride;
    if (from.extent % inside != 0) return false;
    sum = sum + remainder(e, inside) * constant_int(step);
    e = quotient(e, inside);
    from = {from.at, from.extent / inside, room};
  }
  return true;
}

}  // namespace

std::optional<std::vector<Expr>> reindex(const Tensor& from, const std::vector<Expr>& index, const Tensor& to) {
  if (same_shape(from, to)) return index;
  const auto a = axes_of(from), b = axes_of(to);
  if (!a || !b) return std::nullopt;
  std::vector<Expr> out(to.dims.size(), constant_int(0));
  for (const Axis& axis : *a)
    if (!spread(index[axis.at], axis, *b, out)) return std::nullopt;
  return out;
}

}  // namespace tenon
