// What is added at the place of the maximum of a padded window, as the gradient of a max pool is.
//
//   at[x] = argmax[r](padded(X[x*c + r*d - p], -inf))
//   D[x*c + at[x]*d - p] += g[x] where that is inside
//
// with several windows, whose digits are found by division, becomes
//
//   line[p + w] = X[w], and -inf around it
//   at[x] = argmax[r](line[x*c + r*d])
//   place[x] = select(at[x] > 0 or 0 <= x*c - p < extent, at[x], -1)
//   D[x*c - p + offset[place[x]]] += g[x] where place[x] >= 0
//
// An element that is better than the padding is inside. No vector of windows meets a border, and nothing is divided but
// for the table `offset`, which has an element for each of the window. Calls in which all windows are inside have a
// separate body, which reads X where it is: every element is a place.
#include "algebra/fresh_names.h"
#include "algebra/linear.h"
#include "algebra/simplify.h"
#include "ir/kernel/statement_parts.h"
#include "lower/kernel/fork_parts.h"
#include "lower/kernel/kernel_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// An index step·place + spread·tap - before.
struct PlacedWindow {
  size_t dim;
  LoopVar place, tap;
  Expr step, spread, before;

  Expr first() const { return simplify(step * var_ref(place.name) - before); }
  /// The elements from the first to the last index, of all windows.
  Expr span() const {
    const Expr one = constant_int(1), all = step * (place.extent - one) + spread * (tap.extent - one) + one;
    return simplify(apply(ScalarOp::Max, {all, constant_int(0)}));
  }
};

/// The extent of the dim in which the windows are.
Expr windowed_extent(const Kernel& k, const PlacedWindow& w, const Read& read) {
  return k.tensor(read.tensor).dims[w.dim];
}

/// Statements of a kernel by their numbers: the positions, and the one update that uses them.
struct PlacedMaxima {
  size_t positions = 0, update = 0;
  std::vector<size_t> quotients;
  Expr read;                          ///< in the value of the reduction
  std::vector<PlacedWindow> windows;  ///< of the variables of the reduction, in their order; the last dim last
};

const LoopVar* variable_in(const std::vector<LoopVar>& vars, const Expr& e) {
  const auto v = find_if(vars, [&](const LoopVar& l) { return mentions(e, l.name); });
  return v == vars.end() ? nullptr : &*v;
}

bool is_equal(const Expr& a, const Expr& b) { return constant_difference(a, b) == 0; }

class MaximaFinder {
 public:
  explicit MaximaFinder(const Kernel& k) : k_(k) {}

  std::optional<PlacedMaxima> run(size_t positions) {
    found_.positions = positions;
    const KernelStatement& s = k_.body[positions];
    const auto* r = std::get_if<Reduce>(&s.value->node);
    if (!r || !is_positional(r->op) || r->where || s.update != Update::Assign || is_in_recurrence(s) ||
        k_.tensor(s.target).role != Role::Temp || !find_read(*r) || !find_windows(s, *r) || !find_digits(s, *r))
      return std::nullopt;
    return find_update(s) ? std::optional(found_) : std::nullopt;
  }

 private:
  /// One read, without padding or with some that is never the best.
  bool find_read(const Reduce& r) {
    int reads = 0;
    each_read_node(r.value, [&](const Expr& e) { found_.read = e, ++reads; });
    if (reads != 1 || !is_float(r.value->type)) return false;
    if (!std::get<Read>(found_.read->node).fill) return true;
    const Reducer extreme = r.op == Reducer::ArgMax ? Reducer::Max : Reducer::Min;
    const Expr border = simplify(with_expr(r.value, found_.read, std::get<Read>(found_.read->node).fill));
    return same(border, identity_of(extreme, r.value->type));
  }

  static void each_read_node(const Expr& e, FunctionRef<void(const Expr&)> visit) {
    walk(e, [&](const Expr& n) {
      if (std::holds_alternative<Read>(n->node)) visit(n);
      return !std::holds_alternative<Read>(n->node);
    });
  }

  /// A window for each variable of the reduction, in the order of the dims.
  bool find_windows(const KernelStatement& s, const Reduce& r) {
    const std::vector<Expr>& index = std::get<Read>(found_.read->node).index;
    for (size_t d = 0; d < index.size(); ++d) {
      const LoopVar *place = variable_in(s.loops, index[d]), *tap = variable_in(r.vars, index[d]);
      if (!tap) continue;
      const auto by_place = place ? affine_in(index[d], place->name) : std::nullopt;
      const auto by_tap = by_place ? affine_in(by_place->rest, tap->name) : std::nullopt;
      if (!by_tap || has_node<VarRef>(by_tap->rest)) return false;
      const Expr step = simplify(by_place->coefficient), spread = simplify(by_tap->coefficient);
      if (!is_positive(k_, step) || !is_positive(k_, spread)) return false;
      found_.windows.push_back({d, *place, *tap, step, spread, simplify(constant_int(0) - by_tap->rest)});
    }
    const std::vector<PlacedWindow>& w = found_.windows;
    if (w.empty() || w.size() != r.vars.size()) return false;
    if (w.back().dim + 1 != index.size() || w.back().place.name != s.loops.back().name) return false;
    for (size_t i = 0; i < w.size(); ++i)
      if (w[i].tap.name != r.vars[i].name) return false;
    return none_of(s.loops, [&](const LoopVar& l) {
      return count_if(index, [&](const Expr& e) { return mentions(e, l.name); }) > 1;
    });
  }

  /// The variables of the reduction at the position, as the gradient computes them.
  bool find_digits(const KernelStatement& s, const Reduce& r) {
    const auto narrow = [](const Expr& x) {
      return simplify(cast_to(apply(ScalarOp::Min, {x, constant_int(INT32_MAX)}), DType::I32));
    };
    position_ = read_of(s.target, s.value->type, s.index);
    Expr left = position_;
    for (size_t v = r.vars.size(); v-- > 1;) {
      const Expr& extent = r.vars[v].extent;
      if (constant_value(extent)) {
        digits_[r.vars[v].name] = apply(ScalarOp::Mod, {left, extent});
        left = apply(ScalarOp::FloorDiv, {left, extent});
        continue;
      }
      const Expr quotient = apply(ScalarOp::FloorDiv, {narrow(left), narrow(extent)});
      const auto rows = find_if(k_.body, [&](const KernelStatement& q) {
        return q.update == Update::Assign && same(q.index, s.index) && same(q.value, quotient);
      });
      if (rows == k_.body.end() || k_.tensor(rows->target).role != Role::Temp) return false;
      found_.quotients.push_back(static_cast<size_t>(rows - k_.body.begin()));
      const Expr above = cast_to(read_of(rows->target, DType::I32, s.index), DType::I64);
      digits_[r.vars[v].name] = apply(ScalarOp::Min, {left - above * extent, extent - constant_int(1)});
      left = above;
    }
    digits_[r.vars[0].name] = left;
    return true;
  }

  bool uses_position(const Expr& e) const {
    return any_read(e, [&](const Read& r) {
      return r.tensor == k_.body[found_.positions].target ||
             any_of(found_.quotients, [&](size_t q) { return r.tensor == k_.body[q].target; });
    });
  }

  bool uses_position(const KernelStatement& s) const {
    return any_expression(s, [&](const Expr& e) { return uses_position(e); });
  }

  /// The one statement that uses the position: it adds at the place in a tensor of the same shape.
  bool find_update(const KernelStatement& s) {
    const Read& read = std::get<Read>(found_.read->node);
    std::vector<size_t> users;
    for (size_t i = 0; i < k_.body.size(); ++i)
      if (i != found_.positions && !contains(found_.quotients, i) && uses_position(k_.body[i])) users.push_back(i);
    if (users.size() != 1) return false;
    const KernelStatement& u = k_.body[found_.update = users[0]];
    const Tensor& target = k_.tensor(u.target);
    const auto same_loop = [](const LoopVar& a, const LoopVar& b) {
      return a.name == b.name && same(a.extent, b.extent);
    };
    if (u.update != Update::Add || uses_position(u.value) || !same(target.dims, k_.tensor(read.tensor).dims) ||
        !std::equal(u.loops.begin(), u.loops.end(), s.loops.begin(), s.loops.end(), same_loop) ||
        !is_one(target.strides.back()))
      return false;
    for (size_t d = 0; d < u.index.size(); ++d)
      if (!is_equal(u.index[d], simplify(substitute(read.index[d], digits_)))) return false;
    return !u.where || all_of(conjuncts(u.where), [&](const Expr& c) { return says_inside(c, u.index, target); });
  }

  static bool says_inside(const Expr& condition, const std::vector<Expr>& index, const Tensor& target) {
    const Apply *from = as_apply(condition, ScalarOp::Ge), *below = as_apply(condition, ScalarOp::Lt);
    for (size_t d = 0; d < index.size(); ++d)
      if (from ? is_equal(from->args[0] - from->args[1], index[d])
               : below && is_equal(below->args[1] - below->args[0], target.dims[d] - index[d]))
        return true;
    return false;
  }

  const Kernel& k_;
  PlacedMaxima found_;
  Expr position_;
  std::map<std::string, Expr> digits_;
};

class MaximaPlacer {
 public:
  MaximaPlacer(const Kernel& k, const PlacedMaxima& m) : out_(k), fresh_(k), m_(m), old_(k.body) {}

  Kernel run() {
    out_.body.clear();
    for (size_t i = 0; i < old_.size(); ++i) {
      if (i == m_.positions) find_places();
      else if (i == m_.update) add_at_places();
      else if (!contains(m_.quotients, i)) out_.body.push_back(old_[i]);
    }
    return std::move(out_);
  }

 private:
  const Read& source() const { return std::get<Read>(m_.read->node); }
  const PlacedWindow& line() const { return m_.windows.back(); }

  void find_places() {
    const KernelStatement& s = old_[m_.positions];
    const auto& r = std::get<Reduce>(s.value->node);
    const DType type = bytes_of(r.value->type) <= 4 ? DType::I32 : DType::I64;
    const Expr none = constant_int(0, type), one = constant_int(1, type);
    tabulate_offsets();
    Expr real =
        apply(ScalarOp::Ne, {assigned("starts", select(starts_inside(line()), one, none), {line().place}), none});
    if (!source().fill) {
      place_ = assigned("place", reduce(r.op, r.vars, nullptr, r.value, type), s.loops);
      return;
    }
    const Expr value = is_within() ? r.value : with_expr(r.value, m_.read, window(s));
    for (size_t i = 0; i + 1 < m_.windows.size(); ++i) real = both(real, starts_inside(m_.windows[i]));
    const Expr at = assigned("best", reduce(r.op, r.vars, nullptr, value, type), s.loops);
    real = apply(ScalarOp::Or, {apply(ScalarOp::Gt, {at, none}), real});
    place_ = assigned("place", select(real, at, constant_int(-1, type)), s.loops);
  }

  Expr extent_of(const PlacedWindow& w) const { return windowed_extent(out_, w, source()); }

  /// Whether the first element of a window is inside.
  Expr starts_inside(const PlacedWindow& w) const {
    return both(apply(ScalarOp::Ge, {w.first(), constant_int(0)}), apply(ScalarOp::Lt, {w.first(), extent_of(w)}));
  }

  /// Whether no window is known to need padding.
  bool is_within() const {
    return all_of(m_.windows, [&](const PlacedWindow& w) {
      const auto span = constant_value(w.span()), extent = constant_value(extent_of(w));
      return span && extent && is_zero(w.before) && *span <= *extent;
    });
  }

  /// The element under a tap, in lines with their padding.
  Expr window(const KernelStatement& s) {
    std::vector<LoopVar> rows;
    std::vector<Expr> from = source().index, index;
    for (const LoopVar& l : s.loops)
      if (none_of(m_.windows, [&](const PlacedWindow& w) { return w.place.name == l.name; })) rows.push_back(l);
    index = var_refs(rows);
    for (size_t i = 0; i + 1 < m_.windows.size(); ++i) {
      const PlacedWindow& w = m_.windows[i];
      rows.push_back({fresh_("u"), w.span()});
      from[w.dim] = simplify(var_ref(rows.back().name) - w.before);
      index.push_back(simplify(w.step * var_ref(w.place.name) + w.spread * var_ref(w.tap.name)));
    }
    const PlacedWindow& w = line();
    const Expr columns = extent_of(w), lead = simplify(apply(ScalarOp::Max, {w.before, constant_int(0)})),
               shift = simplify(lead - w.before), end = simplify(lead + columns),
               elements = simplify(apply(ScalarOp::Max, {end, w.span() + shift}));
    std::vector<Expr> dims = mapped(rows, &LoopVar::extent);
    dims.push_back(elements);
    const int target = add_temp(out_, "line", m_.read->type, dims);
    const LoopVar column{fresh_("w"), columns};
    from[w.dim] = var_ref(column.name);
    lay(target, rows, {fresh_("w"), lead}, constant_int(0), source().fill);
    lay(target, rows, column, lead, read_of(source().tensor, m_.read->type, std::move(from), source().fill));
    lay(target, rows, {fresh_("w"), simplify(elements - end)}, end, source().fill);
    index.push_back(simplify(w.step * var_ref(w.place.name) + w.spread * var_ref(w.tap.name) + shift));
    return read_of(target, m_.read->type, std::move(index));
  }

  /// line[from + v] = value, for all rows and v.
  void lay(int target, const std::vector<LoopVar>& rows, const LoopVar& v, const Expr& from, const Expr& value) {
    if (constant_value(v.extent) == 0) return;
    KernelStatement s;
    s.target = target;
    s.index = var_refs(rows);
    s.index.push_back(simplify(from + var_ref(v.name)));
    s.value = value;
    s.loops = rows;
    s.loops.push_back(v);
    out_.body.push_back(std::move(s));
  }

  /// How far each element of a window is from the first, in the target.
  void tabulate_offsets() {
    const std::vector<Expr>& strides = out_.tensor(old_[m_.update].target).strides;
    LoopVar tap{fresh_("k"), constant_int(1)};
    Expr left = var_ref(tap.name), offset = constant_int(0);
    for (size_t i = m_.windows.size(); i-- > 0;) {
      const PlacedWindow& w = m_.windows[i];
      const Expr digit = i > 0 ? apply(ScalarOp::Mod, {left, w.tap.extent}) : left;
      offset = offset + digit * w.spread * strides[w.dim];
      left = apply(ScalarOp::FloorDiv, {left, w.tap.extent});
      tap.extent = tap.extent * w.tap.extent;
    }
    tap.extent = simplify(tap.extent);
    offsets_ = std::get<Read>(assigned("offset", simplify(offset), {tap})->node).tensor;
  }

  void add_at_places() {
    KernelStatement s = old_[m_.update];
    // The number of an element among those of all windows: no index before it says where an update is.
    const std::vector<Expr>& strides = out_.tensor(s.target).strides;
    Expr element = read_of(offsets_, DType::I64, {cast_to(place_, DType::I64)});
    for (const PlacedWindow& w : m_.windows) {
      element = w.first() * strides[w.dim] + element;
      s.index[w.dim] = constant_int(0);
    }
    s.index.back() = element;
    s.where = source().fill ? apply(ScalarOp::Ge, {place_, constant_int(0, place_->type)}) : nullptr;
    out_.body.push_back(std::move(s));
  }

  /// The read of a new temp to which a statement assigns the value.
  Expr assigned(const char* name, const Expr& value, const std::vector<LoopVar>& loops) {
    KernelStatement s;
    s.target = add_temp(out_, name, value->type, mapped(loops, &LoopVar::extent));
    s.index = var_refs(loops);
    s.value = value;
    s.loops = loops;
    out_.body.push_back(s);
    return read_of(s.target, value->type, s.index);
  }

  Kernel out_;
  FreshNames fresh_;
  const PlacedMaxima& m_;
  const std::vector<KernelStatement> old_;
  int offsets_ = 0;
  Expr place_;
};

/// Whether the first and the last element of all windows are inside.
Expr all_inside(const Kernel& k, const PlacedMaxima& m) {
  Expr inside;
  for (const PlacedWindow& w : m.windows) {
    const Expr extent = windowed_extent(k, w, std::get<Read>(m.read->node));
    const Expr in = both(apply(ScalarOp::Le, {w.before, constant_int(0)}),
                         apply(ScalarOp::Le, {simplify(w.span() - w.before), extent}));
    inside = inside ? both(inside, in) : in;
  }
  return simplify(inside);
}

}  // namespace

std::optional<Fork> fork_inside_windows(const Kernel& k) {
  for (size_t i = 0; i < k.body.size(); ++i) {
    const auto found = MaximaFinder(k).run(i);
    if (!found || !std::get<Read>(found->read->node).fill) continue;
    const Expr holds = all_inside(k, *found);
    if (constant_value(holds) || ruled_out(k, holds)) continue;
    Fork f = fork_on(holds, k, k);
    f.what = "all windows are inside";
    Read inside = std::get<Read>(found->read->node);
    inside.fill = nullptr;
    KernelStatement& s = f.then.body[i];
    s.value = with_expr(s.value, found->read, read_of(inside.tensor, found->read->type, inside.index));
    f.then.body[found->update].where = nullptr;
    return f;
  }
  return std::nullopt;
}

Kernel place_maxima(const Kernel& k) {
  for (size_t i = 0; i < k.body.size(); ++i)
    if (const auto found = MaximaFinder(k).run(i)) return place_maxima(MaximaPlacer(k, *found).run());
  return k;
}

}  // namespace tenon
