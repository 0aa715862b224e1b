// Puts the three parts of a Winograd convolution into loops over strips of tiles.
#include <fmt/format.h>

#include "lower/contraction/lower_contraction.h"
#include "lower/contraction/winograd_strip.h"
#include "support/ranges.h"

namespace tenon {
namespace {

std::vector<Expr> constants(const std::vector<int64_t>& values) {
  return mapped(values, [&](const int64_t v) { return constant_int(v); });
}

/// W for a strip as a kernel of its own: the tiles are one axis, and the outer loops, whose variables the weights may
/// still name, enclose it.
Kernel product_kernel(const Kernel& kernel, const WinogradParts& w, const WinogradStrip& s) {
  Kernel out = kernel;
  const auto strip_tensor = [&](int t, Role role, int64_t plane, int64_t pitch, int64_t last) {
    Tensor& x = out.tensors[static_cast<size_t>(t)];
    x.role = role;
    x.dims = constants({s.points, s.points, s.tiles, last});
    x.strides = constants({s.points * plane, plane, pitch, 1});
  };
  strip_tensor(w.data->target, Role::Input, s.data_plane, s.channel_pitch, w.channels);
  strip_tensor(w.product->target, Role::Output, s.product_plane, s.filter_pitch, w.filters);
  // outer loops, i, j, ty, tx and the last: without the outer ones and ty
  const auto n = static_cast<std::ptrdiff_t>(w.outer.size());
  const auto of_strip = [&](auto& list) {
    list.erase(list.begin() + n + 2);
    list.erase(list.begin(), list.begin() + n);
  };
  KernelStatement p = *w.product;
  p.loops[w.outer.size() + 3].extent = constant_int(s.tiles);
  of_strip(p.loops), of_strip(p.index);
  const auto& sum = std::get<Reduce>(p.value->node);
  const auto& factors = std::get<Apply>(sum.value->node);
  std::vector<Expr> index = std::get<Read>(factors.args[0]->node).index;
  of_strip(index);
  p.value = reduce(Reducer::Sum, sum.vars, nullptr,
                   read_of(w.data->target, DType::F32, std::move(index)) * factors.args[1], DType::F32);
  out.body = {std::move(p)};
  return out;
}

/// The variables of the outer loops of `from` that are those of `to` at the same places.
void bind_outer(const std::vector<LoopVar>& from, const std::vector<LoopVar>& to, ValueScope& scope) {
  for (size_t i = 0; i < to.size(); ++i) scope.vars[from[i].name] = v_var(to[i].name);
}

/// Whether the transformed weights exceed the second-level cache.
bool has_far_weights(const Kernel& kernel, const WinogradParts& parts) {
  const auto& sum = std::get<Reduce>(parts.product->value->node);
  const Tensor& weights = kernel.tensor(std::get<Read>(std::get<Apply>(sum.value->node).args[1]->node).tensor);
  int64_t bytes = bytes_of(weights.dtype);
  for (const Expr& d : weights.dims) bytes *= constant_value(d).value_or(0);
  return bytes > kSecondLevel;
}

/// Rows of the register tiles such that all tiles take the least time. All tiles and one vector where that reads far
/// weights once: a vector is a cache line then, and waiting for it takes longer than loading each element of the left
/// side for one vector.
Blueprint with_even_rows(Blueprint row, int64_t tiles, bool far, const Isa& isa) {
  const int tall = row.tile_rows;
  if (far && isa.vector_bits >= kLineBits && tiles > tall && tiles + 2 <= isa.vector_registers) {
    row.tile_rows = static_cast<int>(tiles), row.tile_vectors = 1;
    return row;
  }
  fit_rows(row, tiles);
  return row;
}

class WinogradLowering {
 public:
  WinogradLowering(const std::shared_ptr<const Kernel>& kernel, const WinogradParts& parts, const Isa& isa,
                   const Blueprint& row)
      : whole_(kernel),
        kernel_(*kernel),
        parts_(parts),
        isa_(isa),
        strip_(plan_strip(parts, isa.lanes(DType::F32), row.tile_vectors * isa.lanes(DType::F32), row.cache_m)),
        row_(with_even_rows(row, strip_.tiles, has_far_weights(kernel_, parts), isa)),
        product_(product_kernel(kernel_, parts, strip_)) {}

  std::optional<LoopNest> run() {
    const auto c = find_contraction(product_);
    if (!c || c->transposed || c->rows.size() > 1 || c->columns.size() != 1) return std::nullopt;
    ContractionBuilder b = start_contraction(product_, isa_, row_, *c);
    for (const KernelStatement& s : kernel_.body)
      for (const LoopVar& v : s.loops) b.taken.insert(v.name);
    Block body = nest(b);
    if (!b.possible) return std::nullopt;
    return finished(b, std::move(body));
  }

 private:
  const std::vector<LoopVar>& outer() const { return parts_.result_outer; }

  Block nest(ContractionBuilder& b) {
    WinogradNest n{b, kernel_, parts_, strip_, {}, v_int(0), LoopKind::Parallel};
    n.outer.kernel = &kernel_;
    for (const LoopVar& v : outer()) n.outer.vars[v.name] = v_var(v.name);
    bind_outer(parts_.data->loops, outer(), n.outer);
    bind_outer(parts_.product->loops, outer(), b.scope);
    const std::string strip = b.fresh("strip");
    if (strip_.strips > 1) n.blocks = LoopKind::Serial, n.first_row = v_var(strip) * v_int(strip_.tile_rows);
    Block body = transform_data(n);
    append(body, contraction_body(b));
    append(body, transform_result(n));
    if (strip_.strips > 1) {
      Block strips{with_kind(LoopKind::Parallel, s_for(strip, v_int(0), v_int(strip_.strips), 1, std::move(body)))};
      body = std::move(strips);
    }
    return loops_over(b, outer(), std::move(body), LoopKind::Parallel);
  }

  /// The builder's nest, whose V and W are memory of a strip.
  LoopNest finished(ContractionBuilder& b, Block body) {
    const auto room = [&](int t, int64_t plane) {
      Buffer& x = b.buffers[static_cast<size_t>(t)];
      x = {x.name, x.dtype, Storage::Workspace, -1, v_int(plane * strip_.points * strip_.points), true};
    };
    room(parts_.data->target, strip_.data_plane);
    room(parts_.product->target, strip_.product_plane);
    LoopNest out;
    out.name = fmt::format("{}_{}", kernel_.name, isa_.suffix);
    out.isa = isa_.name;
    out.kernel = whole_;
    out.blueprint = row_.name;
    out.buffers = std::move(b.buffers);
    out.functions = std::move(b.functions);
    out.body = std::move(body);
    return out;
  }

  const std::shared_ptr<const Kernel>& whole_;
  const Kernel& kernel_;
  const WinogradParts& parts_;
  const Isa& isa_;
  const WinogradStrip strip_;
  const Blueprint row_;
  const Kernel product_;
};

}  // namespace

std::optional<LoopNest> lower_winograd(const std::shared_ptr<const Kernel>& kernel, const Isa& isa,
                                       const Blueprints& blueprints) {
  const auto parts = find_winograd(*kernel);
  const Blueprint* row = parts ? blueprints.find("winograd", isa.name, DType::F32) : nullptr;
  return row ? WinogradLowering(kernel, *parts, isa, *row).run() : std::nullopt;
}

}  // namespace tenon
