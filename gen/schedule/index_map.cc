// The same element under two shapes.
#include "schedule/index_map.h"

#include "algebra/extent_product.h"
#include "support/ranges.h"

namespace tenon {
namespace {

struct Axis {
  size_t at;
  ExtentProduct extent, stride;
};

bool constant(const std::vector<Axis>& axes) {
  return all_of(axes, [](const Axis& a) { return a.extent.is_constant() && a.stride.is_constant(); });
}

/// Axes of extent above 1 from the fastest on; nothing where an extent or a stride has no form as a product.
std::optional<std::vector<Axis>> axes_of(const Tensor& t) {
  std::vector<Axis> out;
  for (size_t k = t.dims.size(); k-- > 0;) {
    if (is_one(t.dims[k]) || is_zero(t.strides[k])) continue;
    const auto n = extent_product(t.dims[k]), s = extent_product(t.strides[k]);
    if (!n || !s) return std::nullopt;
    out.push_back({k, *n, *s});
  }
  if (constant(out)) sort(out, [](const Axis& a, const Axis& b) { return a.stride.number < b.stride.number; });
  return out;
}

Expr divided(const Expr& e, int64_t n) { return n == 1 ? e : apply(ScalarOp::FloorDiv, {e, constant_int(n)}); }
Expr remainder(const Expr& e, int64_t n) { return apply(ScalarOp::Mod, {e, constant_int(n)}); }

/// a < b and a <= b, whatever the sizes are that leave any elements.
bool below(const ExtentProduct& a, const ExtentProduct& b) {
  if (a.is_constant() && b.is_constant()) return a.number < b.number;
  const auto q = quotient(b, a);
  return q && !q->is_one();
}
bool within(const ExtentProduct& a, const ExtentProduct& b) {
  return a.is_constant() && b.is_constant() ? a.number <= b.number : quotient(b, a).has_value();
}

/// The axis in which a stride falls, and how many of its elements that is.
struct Place {
  const Axis* axis;
  ExtentProduct step;
};
std::optional<Place> place_of(const ExtentProduct& stride, const std::vector<Axis>& axes) {
  for (const Axis& a : axes)
    if (const auto step = quotient(stride, a.stride); step && below(*step, a.extent)) return Place{&a, *step};
  return std::nullopt;
}

/// Spreads one term over the target's axes from the fastest that it reaches upward. False when it does not fit evenly,
/// or only by dividing by what run time knows.
bool spread(Expr e, Axis from, const std::vector<Axis>& to, std::vector<Expr>& out) {
  while (!from.extent.is_one()) {
    const auto place = place_of(from.stride, to);
    if (!place) return false;
    const auto span = times(place->axis->stride, place->axis->extent), reach = times(from.stride, from.extent);
    if (!span || !reach) return false;
    Expr& sum = out[place->axis->at];
    if (within(*reach, *span)) {
      sum = sum + e * to_expr(place->step);
      return true;
    }
    const auto inside = quotient(*span, from.stride);
    const auto left = inside && inside->is_constant() ? quotient(from.extent, *inside) : std::nullopt;
    if (!left) return false;
    sum = sum + remainder(e, inside->number) * to_expr(place->step);
    e = divided(e, inside->number);
    from = {from.at, *left, *span};
  }
  return true;
}

}  // namespace

bool same_shape(const Tensor& a, const Tensor& b) { return same(a.dims, b.dims) && same(a.strides, b.strides); }

bool splits_line(const Tensor& t, const std::vector<Expr>& index) {
  for (size_t d = t.dims.size(); d-- > 0;) {
    if (is_one(t.dims[d])) continue;
    bool found = false;
    each_node<Apply>(index[d], [&](const Apply& a) { found = found || a.op == ScalarOp::Mod; });
    return found;
  }
  return false;
}

bool is_dense(const Tensor& t) {
  const std::vector<Expr> dense = contiguous_strides(t.dims);
  for (size_t d = 0; d < t.dims.size(); ++d)
    if (!is_one(t.dims[d]) && !same(simplify(t.strides[d]), simplify(dense[d]))) return false;
  return true;
}

std::optional<std::vector<Expr>> reindex(const Tensor& from, const std::vector<Expr>& index, const Tensor& to) {
  if (same_shape(from, to)) return index;
  const auto a = axes_of(from), b = axes_of(to);
  if (!a || !b) return std::nullopt;
  std::vector<Expr> out(to.dims.size(), constant_int(0));
  for (const Axis& axis : *a)
    if (!spread(index[axis.at], axis, *b, out)) return std::nullopt;
  return out;
}

bool same_element(const Tensor& in, const std::vector<Expr>& index, const Tensor& out, const std::vector<Expr>& written,
                  const Ranges& ranges) {
  const auto at = reindex(in, index, out);
  if (!at || at->size() != written.size()) return false;
  for (size_t d = 0; d < written.size(); ++d)
    if (!is_one(out.dims[d]) && !same(simplify((*at)[d], ranges), simplify(written[d], ranges))) return false;
  return true;
}

}  // namespace tenon
