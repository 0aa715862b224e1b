// Makes the statements of a Winograd convolution.
#include "algebra/winograd_kernel.h"

#include "algebra/fresh_names.h"
#include "algebra/linear.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// An index that is stride·pixel + tap + a number.
struct Slide {
  const LoopVar *pixel = nullptr, *tap = nullptr;
  int64_t first = 0, stride = 1;
};

std::optional<Slide> slide_of(const Expr& index, const Contraction& c) {
  Slide out;
  const LinearForm form = linear_form(index);
  out.first = form.constant;
  for (const auto& [atom, by] : form.terms) {
    const auto* v = std::get_if<VarRef>(&atom->node);
    if (!v || by < 1) return std::nullopt;
    for (const LoopVar& l : c.statement->loops)
      if (l.name == v->name) out.pixel = &l, out.stride = by;
    for (const LoopVar& l : c.depth)
      if (l.name == v->name && by == 1) out.tap = &l;
  }
  return out.pixel && out.tap && form.terms.size() == 2 ? std::optional(out) : std::nullopt;
}

/// Finds the dimensions of the source that taps walk: two, rows before pixels of a row.
bool find_slides(const Contraction& c, TiledConvolution& out) {
  std::vector<std::pair<size_t, Slide>> slides;
  for (size_t d = 0; d < out.source->index.size(); ++d) {
    const auto slide = slide_of(out.source->index[d], c);
    if (slide) slides.emplace_back(d, *slide);
  }
  if (slides.size() != 2 || c.depth.size() != 3) return false;
  const Slide &y = slides[0].second, &x = slides[1].second;
  if (y.stride != x.stride) return false;
  out.stride = static_cast<int>(y.stride);
  out.y_dim = slides[0].first, out.x_dim = slides[1].first;
  out.y = *y.pixel, out.x = *x.pixel, out.r = *y.tap, out.s = *x.tap;
  out.y_first = y.first, out.x_first = x.first;
  for (const LoopVar& v : c.depth)
    if (v.name != out.r.name && v.name != out.s.name) out.channel = v;
  for (size_t d = 0; d < out.source->index.size(); ++d)
    if (d != out.y_dim && d != out.x_dim)
      for (const LoopVar& v : {out.y, out.x, out.r, out.s})
        if (mentions(out.source->index[d], v.name)) return false;
  return out.y.name != out.x.name && out.r.name != out.s.name;
}

/// Requires known extents and square filters.
bool find_extents(const Contraction& c, TiledConvolution& out) {
  const auto height = constant_value(out.y.extent), width = constant_value(out.x.extent),
             channels = constant_value(out.channel.extent), filters = constant_value(out.filter.extent),
             r = constant_value(out.r.extent), s = constant_value(out.s.extent);
  if (!height || !width || !channels || !filters || !r || !s || *r != *s) return false;
  out.height = *height, out.width = *width, out.channels = *channels, out.filters = *filters;
  out.taps = static_cast<int>(*r);
  for (const LoopVar& v : c.statement->loops)
    if (v.name != out.y.name && v.name != out.x.name && v.name != out.filter.name) out.outer.push_back(v);
  return true;
}

/// Whether the source is as the transform reads it: rows of neighbours, zeros around them.
bool reads_zeros_around(const Kernel& k, const TiledConvolution& conv) {
  const Tensor& t = k.tensor(conv.source->tensor);
  const auto* fill = as_constant(conv.source->fill);
  return t.dtype == DType::F32 && is_one(t.strides[conv.x_dim]) && constant_value(t.dims[conv.y_dim]) &&
         constant_value(t.dims[conv.x_dim]) && (!conv.source->fill || (fill && fill->f == 0));
}

bool has_constant_weights(const Kernel& k, const TiledConvolution& conv) {
  const Tensor& t = k.tensor(conv.weights->tensor);
  return t.role == Role::Constant && t.dtype == DType::F32 && !conv.weights->fill &&
         conv.weights->tensor != conv.source->tensor;
}

TensorData table_of(const Matrix& m) {
  TensorData out;
  out.dims = {static_cast<int64_t>(m.size()), static_cast<int64_t>(m[0].size())};
  for (const std::vector<double>& row : m)
    for (const double v : row) {
      const auto f = static_cast<float>(v);
      const auto* bytes = reinterpret_cast<const uint8_t*>(&f);
      out.bytes.insert(out.bytes.end(), bytes, bytes + sizeof f);
    }
  return out;
}

/// Writes the three statements.
class WinogradBuilder {
 public:
  WinogradBuilder(const Kernel& k, const Contraction& c, const TiledConvolution& conv, const WinogradTransform& t,
                  int64_t width)
      : k_(k), c_(c), conv_(conv), t_(t), width_(width), names_(k), out_(k) {}

  Kernel build() {
    data_table_ = add_table("winograd_data", t_.data);
    result_table_ = add_table("winograd_result", t_.result);
    v_ = add_temp("V", conv_.channels);
    w_ = add_temp("W", conv_.filters);
    out_.body = {data(), product(), result()};
    return std::move(out_);
  }

 private:
  Expr points() const { return constant_int(t_.points()); }
  static Expr tiles(int64_t pixels, int outputs) { return constant_int((pixels + outputs - 1) / outputs); }

  int add_table(const std::string& name, const Matrix& m) {
    Tensor t{names_(name), Role::Constant, DType::F32, {}, {}};
    t.data = std::make_shared<const TensorData>(table_of(m));
    for (const int64_t n : t.data->dims) t.dims.push_back(constant_int(n));
    t.strides = contiguous_strides(t.dims);
    return out_.add(std::move(t));
  }
  int add_temp(const std::string& name, int64_t last) {
    std::vector<Expr> dims = mapped(conv_.outer, &LoopVar::extent);
    for (const Expr& e :
         {points(), points(), tiles(conv_.height, t_.outputs), tiles(conv_.width, t_.outputs), constant_int(last)})
      dims.push_back(e);
    return out_.add_temp(names_(name), DType::F32, std::move(dims));
  }

  /// Loops of V or W: the outer ones under names of their own, points, tiles, and a last one.
  std::vector<LoopVar> tile_loops(const LoopVar& last) {
    std::vector<LoopVar> loops;
    for (const LoopVar& v : conv_.outer) loops.push_back({names_(v.name), v.extent});
    loops.push_back({names_("i"), points()});
    loops.push_back({names_("j"), points()});
    loops.push_back({names_("ty"), tiles(conv_.height, t_.outputs)});
    loops.push_back({names_("tx"), tiles(conv_.width, t_.outputs)});
    loops.push_back({names_(last.name), last.extent});
    return loops;
  }
  static Expr table(int t, const Expr& row, const Expr& column) { return read_of(t, DType::F32, {row, column}); }

  KernelStatement statement(int target, std::vector<LoopVar> loops, Expr value) {
    KernelStatement s;
    s.target = target;
    s.index = var_refs(loops);
    s.value = std::move(value);
    s.loops = std::move(loops);
    return s;
  }

  KernelStatement data() {
    const std::vector<LoopVar> loops = tile_loops(conv_.channel);
    const std::vector<Expr> at = var_refs(loops);
    const size_t n = conv_.outer.size();
    std::map<std::string, Expr> renamed{{conv_.channel.name, at[n + 4]}};
    for (size_t o = 0; o < n; ++o) renamed[conv_.outer[o].name] = at[o];
    const LoopVar p{names_("p"), constant_int(t_.neighbours())}, q{names_("q"), p.extent};
    std::vector<Expr> index = mapped(conv_.source->index, [&](const Expr& e) { return substitute(e, renamed); });
    const auto walk_tile = [&](const Expr& tile, const LoopVar& tap, int64_t first) {
      return tile * constant_int(int64_t{t_.outputs} * t_.stride) + var_ref(tap.name) + constant_int(first);
    };
    index[conv_.y_dim] = walk_tile(at[n + 2], p, conv_.y_first);
    index[conv_.x_dim] = walk_tile(at[n + 3], q, conv_.x_first);
    const Expr x = read_of(conv_.source->tensor, DType::F32, std::move(index), constant_float(0, DType::F32));
    const Expr factors = table(data_table_, at[n], var_ref(p.name)) * table(data_table_, at[n + 1], var_ref(q.name));
    return statement(v_, loops, reduce(Reducer::Sum, {p, q}, nullptr, factors * x, DType::F32));
  }

  KernelStatement product() {
    const std::vector<LoopVar> loops = tile_loops(conv_.filter);
    const std::vector<Expr> at = var_refs(loops);
    const size_t n = conv_.outer.size();
    const LoopVar c{names_(conv_.channel.name), conv_.channel.extent};
    std::vector<Expr> v(at.begin(), at.end() - 1);
    v.push_back(var_ref(c.name));
    Expr flat;
    for (size_t o = 0; o < n; ++o)
      if (mentions(c_.right, conv_.outer[o].name)) flat = flat ? flat * loops[o].extent + at[o] : at[o];
    flat = ((flat ? flat * points() : constant_int(0)) + at[n]) * points() + at[n + 1];
    const Expr width = constant_int(width_);
    const Expr u = read_of(conv_.weights->tensor, DType::F32,
                           {flat, apply(ScalarOp::FloorDiv, {at[n + 4], width}), var_ref(c.name),
                            apply(ScalarOp::Mod, {at[n + 4], width})});
    return statement(w_, loops,
                     reduce(Reducer::Sum, {c}, nullptr, read_of(v_, DType::F32, std::move(v)) * u, DType::F32));
  }

  KernelStatement result() {
    KernelStatement s = k_.body[0];
    const LoopVar i{names_("i"), points()}, j{names_("j"), points()};
    const Expr m = constant_int(t_.outputs), y = var_ref(conv_.y.name), x = var_ref(conv_.x.name);
    std::vector<Expr> index = mapped(conv_.outer, [&](const LoopVar& v) { return var_ref(v.name); });
    for (const Expr& e : {var_ref(i.name), var_ref(j.name), apply(ScalarOp::FloorDiv, {y, m}),
                          apply(ScalarOp::FloorDiv, {x, m}), var_ref(conv_.filter.name)})
      index.push_back(e);
    const Expr factors = table(result_table_, apply(ScalarOp::Mod, {y, m}), var_ref(i.name)) *
                         table(result_table_, apply(ScalarOp::Mod, {x, m}), var_ref(j.name));
    const Expr sum =
        reduce(Reducer::Sum, {i, j}, nullptr, factors * read_of(w_, DType::F32, std::move(index)), DType::F32);
    s.value = with_sum(s.value, sum);
    s.formula.clear();
    return s;
  }
  static Expr with_sum(const Expr& e, const Expr& sum) {
    if (std::holds_alternative<Reduce>(e->node)) return sum;
    return map_children(e, [&](const Expr& child) { return with_sum(child, sum); });
  }

  const Kernel& k_;
  const Contraction& c_;
  const TiledConvolution& conv_;
  const WinogradTransform& t_;
  const int64_t width_;
  FreshNames names_;
  Kernel out_;
  int data_table_ = -1, result_table_ = -1, v_ = -1, w_ = -1;
};

}  // namespace

std::optional<TiledConvolution> tiled_convolution(const Kernel& kernel, const Contraction& c) {
  TiledConvolution out;
  out.source = std::get_if<Read>(&c.left->node);
  out.weights = std::get_if<Read>(&c.right->node);
  if (!c.transposed || c.columns.size() != 1 || !out.source || !out.weights || c.result != DType::F32)
    return std::nullopt;
  out.filter = c.columns[0];
  if (!find_slides(c, out) || out.filter.name == out.y.name || out.filter.name == out.x.name) return std::nullopt;
  if (has_loop(c.outer_right, out.y.name) || has_loop(c.outer_right, out.x.name)) return std::nullopt;
  if (!find_extents(c, out) || !reads_zeros_around(kernel, out) || !has_constant_weights(kernel, out))
    return std::nullopt;
  return out;
}

Kernel winograd_kernel(const Kernel& kernel, const Contraction& c, const TiledConvolution& conv,
                       const WinogradTransform& t, int64_t panel_width) {
  return WinogradBuilder(kernel, c, conv, t, panel_width).build();
}

}  // namespace tenon
