// Gradients of the taps of windows whose channels belong to one filter each: sums over an image for each tap.
//
//   F[g,r,s] = sum[n,y,x](D[n,g,y,x]*padded(X[n,g,y*a + r*b - p,x*c + s*d - q], 0))
//
// becomes
//
//   line[g,n,u,f,j] = padded(X[n,g,u - p,j*c + f - q], 0)
//   sums[g,r,s,x] = sum[n,y](D[n,g,y,x]*line[g,n,y*a + r*b,s*d % c,x + s*d//c])
//
// and after that F[g,r,s] = sum[x](sums[g,r,s,x]).
//
// Vectors run along x, whatever the steps are, and no window meets the border.
#include "algebra/contraction.h"
#include "algebra/fresh_names.h"
#include "algebra/known_values.h"
#include "algebra/linear.h"
#include "algebra/simplify.h"
#include "lower/kernel/kernel_passes.h"
#include "lower/kernel/kernel_ranges.h"
#include "lower/kernel/variants.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// An index step·place + spread·tap - before.
struct WindowIndex {
  size_t dim;
  LoopVar place, tap;
  Expr step, spread, before;

  /// The elements from the first to the last index, of all windows.
  Expr span() const {
    const Expr one = constant_int(1);
    return step * (place.extent - one) + spread * (tap.extent - one) + one;
  }
};

/// What the sum reads, and its windows: the last one is along the last dim of both.
struct TapSums {
  Expr plain, padded;
  std::vector<WindowIndex> windows;
  std::vector<LoopVar> around;  ///< loops of the result that are no tap
  std::vector<LoopVar> images;  ///< variables of the sum that are no place

  const Read& given() const { return std::get<Read>(plain->node); }
  const Read& source() const { return std::get<Read>(padded->node); }
  const WindowIndex& line() const { return windows.back(); }
};

const LoopVar* found_in(const std::vector<LoopVar>& vars, const Expr& e) {
  const auto v = find_if(vars, [&](const LoopVar& l) { return mentions(e, l.name); });
  return v == vars.end() ? nullptr : &*v;
}

bool is_number_or_variable(const Expr& e) { return std::holds_alternative<VarRef>(e->node) || constant_value(e); }

/// The window that an index walks; nothing where it is no window.
std::optional<WindowIndex> window_of(const Kernel& k, const Reduce& sum, size_t dim, const Expr& index) {
  const LoopVar *place = found_in(sum.vars, index), *tap = found_in(k.body[0].loops, index);
  const auto by_place = place && tap ? affine_in(index, place->name) : std::nullopt;
  const auto by_tap = by_place ? affine_in(by_place->rest, tap->name) : std::nullopt;
  if (!by_tap || has_node<VarRef>(by_tap->rest)) return std::nullopt;
  const Expr step = simplify(by_place->coefficient), spread = simplify(by_tap->coefficient);
  if (!is_positive(k, step) || !is_positive(k, spread)) return std::nullopt;
  return WindowIndex{dim, *place, *tap, step, spread, simplify(constant_int(0) - by_tap->rest)};
}

/// Every variable of the sum that is in a window is in one alone, and so is every tap.
bool know_loops(const Kernel& k, const Reduce& sum, TapSums& t) {
  t.images = sum.vars;
  t.around = k.body[0].loops;
  for (const WindowIndex& w : t.windows) {
    const auto places = std::erase_if(t.images, [&](const LoopVar& v) { return v.name == w.place.name; });
    const auto taps = std::erase_if(t.around, [&](const LoopVar& v) { return v.name == w.tap.name; });
    if (places != 1 || taps != 1) return false;
  }
  return true;
}

std::optional<TapSums> find_tap_sums(const Kernel& k) {
  const auto c = k.body.size() == 1 ? find_contraction(k) : std::nullopt;
  const KernelStatement& s = k.body[0];
  const auto* sum = c ? std::get_if<Reduce>(&s.value->node) : nullptr;
  if (!sum || sum->where || s.update != Update::Assign || !is_float(c->result) || !k.reassociate) return std::nullopt;
  TapSums out;
  for (const Expr& side : {c->left, c->right})
    if (const auto* r = std::get_if<Read>(&side->node)) (r->fill ? out.padded : out.plain) = side;
  if (!out.plain || !out.padded || !same(out.source().fill, constant_of(0, out.padded->type))) return std::nullopt;
  if (!all_of(out.given().index, is_number_or_variable)) return std::nullopt;
  const std::vector<Expr>& index = out.source().index;
  for (size_t d = 0; d < index.size(); ++d) {
    if (is_number_or_variable(index[d])) continue;
    const auto w = window_of(k, *sum, d, index[d]);
    if (!w) return std::nullopt;
    out.windows.push_back(*w);
  }
  const bool along = !out.windows.empty() && out.line().dim + 1 == index.size() &&
                     is_variable(out.given().index.back(), out.line().place.name);
  return along && know_loops(k, *sum, out) ? std::optional(std::move(out)) : std::nullopt;
}

/// The extents of loops that only the gradient of the result depends on, the filters of a group, as 1; nothing where
/// one is not a size.
std::optional<KnownValues> one_filter(const TapSums& t) {
  KnownValues out;
  for (const LoopVar& v : t.around) {
    if (mentions(t.padded, v.name) || constant_value(v.extent) == 1) continue;
    if (!std::holds_alternative<SizeRef>(v.extent->node)) return std::nullopt;
    out.emplace_back(v.extent, constant_int(1));
  }
  return out;
}

class TapSummer {
 public:
  TapSummer(const Kernel& k, const TapSums& t) : out_(k), fresh_(k), t_(t), result_(k.body[0]) {}

  Kernel run() {
    out_.body.clear();
    lay_lines();
    std::vector<LoopVar> loops = t_.around;
    for (const LoopVar& l : result_.loops)
      if (is_tap(l)) loops.push_back(l);
    loops.push_back(t_.line().place);
    const std::vector<Expr> index = var_refs(loops);
    const int sums = new_temp("sums", loops);
    add(sums, index, products(), loops);
    Kernel first = part(sums, Role::Output, "_first");
    add(result_.target, result_.index,
        reduce(Reducer::Sum, {t_.line().place}, nullptr, read_of(sums, result_.value->type, index),
               result_.value->type),
        result_.loops);
    Kernel rest = part(sums, Role::Input, "");
    out_.parts = {std::move(first), std::move(rest)};
    return std::move(out_);
  }

 private:
  bool is_tap(const LoopVar& v) const {
    return any_of(t_.windows, [&](const WindowIndex& w) { return w.tap.name == v.name; });
  }

  /// The statements since the last part as one.
  Kernel part(int between, Role role, const char* suffix) {
    Kernel one = out_;
    one.name += suffix;
    one.tensor(between).role = role;
    out_.body.clear();
    return one;
  }

  /// The sum of a tap at one place of all lines.
  Expr products() const {
    const Expr product = apply(ScalarOp::Mul, {t_.plain, window()});
    std::vector<LoopVar> places = t_.images;
    for (size_t w = 0; w + 1 < t_.windows.size(); ++w) places.push_back(t_.windows[w].place);
    return places.empty() ? product : reduce(Reducer::Sum, places, nullptr, product, product->type);
  }

  /// The source with its padding next to it, every step-th element of its last dim side by side.
  void lay_lines() {
    const Expr none = constant_int(0);
    for (const LoopVar& v : concat(t_.around, t_.images))
      if (mentions(t_.padded, v.name)) lines_.push_back(v);
    depth_ = lines_.size();
    std::vector<Expr> index = t_.source().index;
    for (size_t w = 0; w + 1 < t_.windows.size(); ++w) {
      const WindowIndex& one = t_.windows[w];
      lines_.push_back({fresh_("u"), simplify(apply(ScalarOp::Max, {one.span(), none}))});
      index[one.dim] = simplify(var_ref(lines_.back().name) - one.before);
    }
    const WindowIndex& line = t_.line();
    const Expr reach = apply(ScalarOp::FloorDiv, {line.spread * (line.tap.extent - constant_int(1)), line.step});
    lines_.push_back({fresh_("f"), line.step});
    lines_.push_back({fresh_("j"), simplify(apply(ScalarOp::Max, {line.place.extent + reach, none}))});
    const Expr phase = var_ref(lines_[lines_.size() - 2].name), at = var_ref(lines_.back().name);
    index.back() = simplify(at * line.step + phase - line.before);
    line_ = new_temp("line", lines_);
    add(line_, var_refs(lines_), read_of(t_.source().tensor, t_.padded->type, index, t_.source().fill), lines_);
  }

  /// The element under a tap.
  Expr window() const {
    std::vector<Expr> index;
    for (size_t d = 0; d < depth_; ++d) index.push_back(var_ref(lines_[d].name));
    for (size_t w = 0; w + 1 < t_.windows.size(); ++w) {
      const WindowIndex& one = t_.windows[w];
      index.push_back(simplify(one.step * var_ref(one.place.name) + one.spread * var_ref(one.tap.name)));
    }
    const WindowIndex& line = t_.line();
    const Expr tap = simplify(line.spread * var_ref(line.tap.name));
    index.push_back(simplify(apply(ScalarOp::Mod, {tap, line.step})));
    index.push_back(simplify(var_ref(line.place.name) + apply(ScalarOp::FloorDiv, {tap, line.step})));
    return read_of(line_, t_.padded->type, index);
  }

  int new_temp(const char* name, const std::vector<LoopVar>& loops) {
    return add_temp(out_, name, result_.value->type, mapped(loops, &LoopVar::extent));
  }

  void add(int target, const std::vector<Expr>& index, const Expr& value, const std::vector<LoopVar>& loops) {
    KernelStatement s{target, index, Update::Assign, value, loops, ""};
    s.masks_by_zero = result_.masks_by_zero;
    out_.body.push_back(std::move(s));
  }

  Kernel out_;
  FreshNames fresh_;
  const TapSums& t_;
  const KernelStatement result_;
  std::vector<LoopVar> lines_;
  size_t depth_ = 0;  ///< loops of the lines around the windows
  int line_ = 0;
};

/// Lines of which the most is padding take longer than they save.
Expr is_mostly_image(const Kernel& k, const TapSums& t) {
  constexpr int64_t kShort = 64;
  Expr all;
  for (const WindowIndex& w : t.windows) {
    const Expr& extent = k.tensor(t.source().tensor).dims[w.dim];
    all = both(all, apply(ScalarOp::Le, {w.span(), constant_int(2) * extent + constant_int(kShort)}));
  }
  return all;
}

/// The lines have two elements or more, from here on also for the kernel: single elements are a loop of their own.
Expr has_line(Kernel& k, const TapSums& t) {
  const Expr& extent = t.line().place.extent;
  const auto* name = std::get_if<SizeRef>(&extent->node);
  for (Size& s : k.sizes)
    if (name && s.name == name->name) s.lo = std::max<int64_t>(s.lo, 2);
  return apply(ScalarOp::Ge, {extent, constant_int(2)});
}

}  // namespace

std::vector<WindowCase> tap_sums(const Kernel& k) {
  std::vector<WindowCase> out;
  const auto all = find_tap_sums(k);
  const auto ones = all ? one_filter(*all) : std::nullopt;
  for (const int64_t step : {1, 2}) {
    const Expr by = all ? all->line().step : nullptr;
    if (!ones || constant_value(by).value_or(step) != step) continue;
    KnownValues known = *ones;
    if (!constant_value(by)) known.emplace_back(by, constant_int(step));
    Kernel single = simplify_kernel(with_known(k, known));
    const auto found = find_tap_sums(single);
    if (!found) continue;
    const Expr lines = both(is_mostly_image(single, *found), has_line(single, *found));
    const Expr holds = known.empty() ? lines : both(equal_to(known), lines);
    out.push_back({holds, TapSummer(single, *found).run(), "one filter a group: lines of products for each tap"});
  }
  return out;
}

}  // namespace tenon
