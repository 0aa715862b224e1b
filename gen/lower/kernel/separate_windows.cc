// separate-windows: the maximum element of a padded window is found down its columns first, for one line that has its
// padding next to it, and then along that line: M·N elements become M + N, and no vector of outputs meets the border of
// the input.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "algebra/linear.h"
#include "algebra/simplify.h"
#include "lower/kernel/kernel_passes.h"
#include "lower/kernel/kernel_ranges.h"

namespace tenon {
namespace {

/// A statement's window: what it reads, and how its last index walks: step·x + spread·s - left, of columns in a line.
struct Window {
  Expr read;  ///< the one read in the value
  LoopVar x, along;
  std::vector<LoopVar> down;  ///< the window's other variables
  int64_t step = 0, spread = 0, left = 0, columns = 0, outputs = 0, width = 0;

  int64_t line() const { return step * (outputs - 1) + spread * (width - 1) + 1; }
  int64_t kept() const { return std::min(columns, line() - left); }
};

Expr with_read(const Expr& e, const Expr& read, const Expr& by) {
  if (e == read) return by;
  return map_children(e, [&](const Expr& c) { return with_read(c, read, by); });
}

/// The coefficient of `var`, a number, and what is left.
bool take_off(Expr& e, const std::string& var, int64_t& by) {
  const auto a = affine_in(e, var);
  const auto c = a ? constant_value(simplify(a->coefficient)) : std::nullopt;
  if (!c || *c < 1) return false;
  by = *c;
  e = simplify(a->rest);
  return true;
}

class WindowSeparator {
 public:
  explicit WindowSeparator(const Kernel& k) : out_(k) {
    for (const Tensor& t : k.tensors) names_.insert(t.name);
    for (const KernelStatement& s : k.body) {
      for (const LoopVar& v : s.loops) names_.insert(v.name);
      walk(s.value, [&](const Expr& e) {
        if (const auto* r = std::get_if<Reduce>(&e->node))
          for (const LoopVar& v : r->vars) names_.insert(v.name);
        return true;
      });
    }
  }

  Kernel run() {
    const std::vector<KernelStatement> body = std::move(out_.body);
    out_.body.clear();
    for (const KernelStatement& s : body) {
      if (const auto w = window_of(s)) split(s, *w);
      else out_.body.push_back(s);
    }
    return std::move(out_);
  }

 private:
  std::optional<Window> window_of(const KernelStatement& s) const {
    const auto* r = std::get_if<Reduce>(&s.value->node);
    if (!r || (r->op != Reducer::Max && r->op != Reducer::Min) || r->where || r->vars.size() < 2 ||
        s.update != Update::Assign || s.loops.size() < 2 || is_in_recurrence(s))
      return std::nullopt;
    Window w;
    int reads = 0;
    walk(r->value, [&](const Expr& e) {
      if (std::holds_alternative<Read>(e->node)) w.read = e, ++reads;
      return !std::holds_alternative<Read>(e->node);
    });
    if (reads != 1 || !std::get<Read>(w.read->node).fill) return std::nullopt;
    w.x = s.loops.back();
    for (const LoopVar& v : r->vars)
      if (mentions(std::get<Read>(w.read->node).index.back(), v.name)) w.along = v;
      else w.down.push_back(v);
    return w.down.size() + 1 == r->vars.size() && walks_a_line(r->value, w) ? std::optional(w) : std::nullopt;
  }

  /// Finds the numbers of the window; false where its last index is not that of a line whose border is known.
  bool walks_a_line(const Expr& value, Window& w) const {
    const Read& read = std::get<Read>(w.read->node);
    Expr rest = read.index.back();
    const auto columns = constant_value(out_.tensors[static_cast<size_t>(read.tensor)].dims.back());
    const auto outputs = constant_value(w.x.extent), width = constant_value(w.along.extent);
    if (!columns || !outputs || !width || *outputs < 2 || *width < 2 || !take_off(rest, w.x.name, w.step) ||
        !take_off(rest, w.along.name, w.spread))
      return false;
    const auto at = constant_value(rest);
    if (!at || *at > 0) return false;
    w.columns = *columns, w.outputs = *outputs, w.width = *width, w.left = -*at;
    if (w.kept() < 1 || (w.left == 0 && w.kept() == w.line())) return false;  // no border
    std::vector<Expr> elsewhere(read.index.begin(), read.index.end() - 1);
    elsewhere.push_back(read.fill);
    elsewhere.push_back(with_read(value, w.read, read.fill));
    if (std::any_of(elsewhere.begin(), elsewhere.end(),
                    [&](const Expr& e) { return mentions(e, w.x.name) || mentions(e, w.along.name); }))
      return false;
    return std::none_of(w.down.begin(), w.down.end(),
                        [&](const LoopVar& v) { return mentions(elsewhere.back(), v.name); });
  }

  void split(const KernelStatement& s, const Window& w) {
    const auto& r = std::get<Reduce>(s.value->node);
    const Read& read = std::get<Read>(w.read->node);
    const std::vector<LoopVar> outer(s.loops.begin(), s.loops.end() - 1);
    const int line = new_line(s, outer, w.line());
    const Expr border = with_read(r.value, w.read, read.fill);
    const LoopVar column{fresh("w"), constant_int(w.kept())};
    std::vector<Expr> index = read.index;
    index.back() = var_ref(column.name);
    const Expr inside = with_read(r.value, w.read, read_of(read.tensor, w.read->type, std::move(index), read.fill));
    fill(s, outer, line, 0, w.left, border);
    define(s, outer, line, column, constant_int(w.left), reduce(r.op, w.down, nullptr, inside, s.value->type));
    fill(s, outer, line, w.left + w.kept(), w.line() - w.left - w.kept(), border);
    KernelStatement last = s;
    const Expr at = var_ref(w.x.name) * constant_int(w.step) + var_ref(w.along.name) * constant_int(w.spread);
    last.value =
        reduce(r.op, {w.along}, nullptr, read_of(line, s.value->type, index_of(outer, simplify(at))), s.value->type);
    out_.body.push_back(std::move(last));
  }

  static std::vector<Expr> index_of(const std::vector<LoopVar>& outer, const Expr& last) {
    std::vector<Expr> index;
    for (const LoopVar& v : outer) index.push_back(var_ref(v.name));
    index.push_back(last);
    return index;
  }

  void fill(const KernelStatement& s, const std::vector<LoopVar>& outer, int line, int64_t from, int64_t count,
            const Expr& value) {
    if (count > 0) define(s, outer, line, {fresh("w"), constant_int(count)}, constant_int(from), value);
  }

  /// line[from + v] = value, for `outer` and v.
  void define(const KernelStatement& s, const std::vector<LoopVar>& outer, int line, const LoopVar& v, const Expr& from,
              const Expr& value) {
    KernelStatement d;
    d.target = line;
    d.index = index_of(outer, simplify(var_ref(v.name) + from));
    d.value = value;
    d.loops = outer;
    d.loops.push_back(v);
    d.formula = s.formula;
    out_.body.push_back(std::move(d));
  }

  int new_line(const KernelStatement& s, const std::vector<LoopVar>& outer, int64_t elements) {
    std::vector<Expr> dims;
    for (const LoopVar& v : outer) dims.push_back(v.extent);
    dims.push_back(constant_int(elements));
    const std::string name = fresh(out_.tensors[static_cast<size_t>(s.target)].name + "_line");
    out_.tensors.push_back({name, Role::Temp, s.value->type, dims, contiguous_strides(dims)});
    return static_cast<int>(out_.tensors.size()) - 1;
  }

  std::string fresh(const std::string& word) {
    std::string name = word;
    for (int n = 2; !names_.insert(name).second; ++n) name = fmt::format("{}{}", word, n);
    return name;
  }

  Kernel out_;
  std::set<std::string> names_;
};

}  // namespace

Kernel separate_windows(const Kernel& k) { return WindowSeparator(k).run(); }

}  // namespace tenon
