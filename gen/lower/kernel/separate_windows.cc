// separate-windows: the maximum element or the sum of a padded window is found down its columns first, for one line
// that has its padding next to it, and then along that line: M·N elements become M + N, and no vector of outputs meets
// the border of the input.
#include <fmt/format.h>

#include <functional>
#include <set>

#include "algebra/linear.h"
#include "algebra/simplify.h"
#include "lower/kernel/kernel_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Elements between windows of which a vector of kNear lanes finds all as fast as it would read the next one by itself.
constexpr int64_t kNear = 8;

/// A statement's window: what it reads, and how its last index walks: step·x + spread·s - left, of columns in a line.
struct Window {
  Expr read;  ///< the one read in the value
  LoopVar x, along;
  std::vector<LoopVar> down;  ///< the window's other variables
  Expr step, spread, left;
  // of the line
  Expr lead;      ///< elements of padding in front
  Expr kept;      ///< columns of the input
  Expr elements;  ///< with the padding at both ends
};

Expr with_read(const Expr& e, const Expr& read, const Expr& by) {
  if (e == read) return by;
  return map_children(e, [&](const Expr& c) { return with_read(c, read, by); });
}

/// The coefficient of `var`, which is positive, and the rest.
bool take_off(const Kernel& k, Expr& e, const std::string& var, Expr& by) {
  const auto a = affine_in(e, var);
  if (!a) return false;
  by = simplify(a->coefficient);
  e = simplify(a->rest);
  return is_positive(k, by);
}

/// The maximum elements of windows are found in any order; sums where theirs is free and the padding adds nothing.
bool separates(const Kernel& k, const Reduce& r, const Expr& border) {
  if (r.op == Reducer::Max || r.op == Reducer::Min) return true;
  const Constant* c = as_constant(border);
  return r.op == Reducer::Sum && c && c->i == 0 && c->f == 0 && (k.reassociate || is_int(border->type));
}

class WindowSeparator {
 public:
  explicit WindowSeparator(const Kernel& k) : out_(k) {
    for (const Tensor& t : k.tensors) names_.insert(t.name);
    for (const KernelStatement& s : k.body) {
      for (const LoopVar& v : s.loops) names_.insert(v.name);
      each_node<Reduce>(s.value, [&](const Reduce& r) {
        for (const LoopVar& v : r.vars) names_.insert(v.name);
      });
    }
  }

  Kernel run() {
    const std::vector<KernelStatement> body = std::move(out_.body);
    out_.body.clear();
    for (const KernelStatement& s : body) {
      if (const auto w = window_of(s, body)) split(s, *w);
      else out_.body.push_back(s);
    }
    return std::move(out_);
  }

 private:
  /// Whether another reduction reads the tensor too: where it goes over the same windows, one line saves little.
  static bool read_again(int tensor, const KernelStatement& s, const std::vector<KernelStatement>& body) {
    return any_of(body, [&](const KernelStatement& other) {
      return &other != &s && std::holds_alternative<Reduce>(other.value->node) && reads_tensor(other.value, tensor);
    });
  }

  std::optional<Window> window_of(const KernelStatement& s, const std::vector<KernelStatement>& body) const {
    const auto* r = std::get_if<Reduce>(&s.value->node);
    if (!r || r->where || r->vars.size() < 2 || s.update != Update::Assign || s.loops.size() < 2 || is_in_recurrence(s))
      return std::nullopt;
    Window w;
    int reads = 0;
    walk(r->value, [&](const Expr& e) {
      if (std::holds_alternative<Read>(e->node)) w.read = e, ++reads;
      return !std::holds_alternative<Read>(e->node);
    });
    const Expr fill = reads == 1 ? std::get<Read>(w.read->node).fill : nullptr;
    if (!fill || !separates(out_, *r, simplify(with_read(r->value, w.read, fill)))) return std::nullopt;
    w.x = s.loops.back();
    for (const LoopVar& v : r->vars)
      if (mentions(std::get<Read>(w.read->node).index.back(), v.name)) w.along = v;
      else w.down.push_back(v);
    if (w.down.size() + 1 != r->vars.size() || !walks_a_line(r->value, w)) return std::nullopt;
    const bool known = constant_value(w.elements).has_value();
    return known || !read_again(std::get<Read>(w.read->node).tensor, s, body) ? std::optional(w) : std::nullopt;
  }

  /// Finds how the window walks; false where its last index is not that of a line.
  bool walks_a_line(const Expr& value, Window& w) const {
    const Read& read = std::get<Read>(w.read->node);
    Expr rest = read.index.back();
    if (!take_off(out_, rest, w.x.name, w.step) || !take_off(out_, rest, w.along.name, w.spread)) return false;
    w.left = simplify(constant_int(0) - rest);
    // All lines are of one length, which the call knows before any data.
    const auto differs = [](const Expr& e) { return has_node<VarRef>(e) || has_node<Read>(e); };
    if (differs(w.step) || differs(w.spread) || differs(w.left)) return false;
    if (!lay_line(out_.tensors[static_cast<size_t>(read.tensor)].dims.back(), w)) return false;
    std::vector<Expr> elsewhere(read.index.begin(), read.index.end() - 1);
    elsewhere.push_back(read.fill);
    elsewhere.push_back(with_read(value, w.read, read.fill));
    if (any_of(elsewhere, [&](const Expr& e) { return mentions(e, w.x.name) || mentions(e, w.along.name); }))
      return false;
    return none_of(w.down, [&](const LoopVar& v) { return mentions(elsewhere.back(), v.name); });
  }

  /// The parts of the line; false where all are numbers and it has no border, or nothing else.
  static bool lay_line(const Expr& columns, Window& w) {
    const Expr reach =
        w.step * (w.x.extent - constant_int(1)) + w.spread * (w.along.extent - constant_int(1)) + constant_int(1);
    const auto all = constant_value(columns), outputs = constant_value(w.x.extent),
               width = constant_value(w.along.extent), left = constant_value(w.left),
               line = constant_value(simplify(reach));
    if (!all || !line || !left) {
      if (width && *width < 2) return false;
      w.lead = simplify(apply(ScalarOp::Max, {w.left, constant_int(0)}));
      w.kept = columns;
      w.elements = simplify(apply(ScalarOp::Max, {w.lead + columns, reach + w.lead - w.left}));
      return true;
    }
    const int64_t kept = std::min(*all, *line - *left);
    if (*outputs < 2 || *width < 2 || *left < 0 || kept < 1 || (*left == 0 && kept == *line)) return false;
    w.lead = w.left;
    w.kept = constant_int(kept);
    w.elements = constant_int(*line);
    return true;
  }

  /// The temp of the lines that a statement is split at: one for each iteration of `outer`.
  struct Lines {
    const KernelStatement& of;
    const std::vector<LoopVar>& outer;
    int tensor = 0;
  };

  void split(const KernelStatement& s, const Window& w) {
    const auto& r = std::get<Reduce>(s.value->node);
    const Read& read = std::get<Read>(w.read->node);
    const std::vector<LoopVar> outer(s.loops.begin(), s.loops.end() - 1);
    const Lines lines{s, outer, new_line(s, outer, w.elements)};
    const Expr border = where_any(w.down, with_read(r.value, w.read, read.fill), identity_of(r.op, s.value->type));
    const LoopVar column{fresh("w"), w.kept};
    std::vector<Expr> index = read.index;
    index.back() = var_ref(column.name);
    const Expr inside = with_read(r.value, w.read, read_of(read.tensor, w.read->type, std::move(index), read.fill));
    const Expr end = simplify(w.lead + w.kept);
    fill(lines, constant_int(0), w.lead, border);
    define(lines, column, w.lead, reduce(r.op, w.down, nullptr, inside, s.value->type));
    fill(lines, end, simplify(w.elements - end), border);
    KernelStatement last = s;
    const auto along_line = [&](const Expr& first) {
      const Expr at = first + var_ref(w.along.name) * w.spread + w.lead - w.left;
      return reduce(r.op, {w.along}, nullptr, read_of(lines.tensor, s.value->type, index_of(outer, simplify(at))),
                    s.value->type);
    };
    const Expr first = var_ref(w.x.name) * w.step;
    const bool near = any_of(out_.facts, [&](const Expr& f) { return same(f, is_near(w.step)); });
    last.value = near ? every(lines, w, first, along_line) : along_line(first);
    out_.body.push_back(std::move(last));
  }

  /// The value of what has padding alone: a window without elements has none of that either.
  static Expr where_any(const std::vector<LoopVar>& down, const Expr& value, const Expr& none) {
    if (same(value, none)) return value;
    Expr any;
    for (const LoopVar& v : down)
      if (constant_value(v.extent).value_or(0) < 1) any = both(any, apply(ScalarOp::Ge, {v.extent, constant_int(1)}));
    return any ? select(any, value, none) : value;
  }

  /// Windows at unknown small steps: those at all elements of a line by whole vectors, of which the statement picks its
  /// own.
  Expr every(const Lines& lines, const Window& w, const Expr& first, const std::function<Expr(const Expr&)>& window) {
    const Expr extent = w.step * (w.x.extent - constant_int(1)) + constant_int(1);
    const LoopVar at{fresh(w.x.name), simplify(apply(ScalarOp::Max, {extent, constant_int(0)}))};
    const Lines all{lines.of, lines.outer, new_line(lines.of, lines.outer, at.extent)};
    define(all, at, constant_int(0), window(var_ref(at.name)));
    return read_of(all.tensor, lines.of.value->type, index_of(lines.outer, simplify(first)));
  }

  static std::vector<Expr> index_of(const std::vector<LoopVar>& outer, const Expr& last) {
    std::vector<Expr> index = var_refs(outer);
    index.push_back(last);
    return index;
  }

  void fill(const Lines& lines, const Expr& from, const Expr& count, const Expr& value) {
    if (constant_value(count) != 0) define(lines, {fresh("w"), count}, from, value);
  }

  /// line[from + v] = value, for the outer loops and v.
  void define(const Lines& lines, const LoopVar& v, const Expr& from, const Expr& value) {
    KernelStatement d;
    d.target = lines.tensor;
    d.index = index_of(lines.outer, simplify(var_ref(v.name) + from));
    d.value = value;
    d.loops = lines.outer;
    d.loops.push_back(v);
    d.formula = lines.of.formula;
    out_.body.push_back(std::move(d));
  }

  int new_line(const KernelStatement& s, const std::vector<LoopVar>& outer, const Expr& elements) {
    std::vector<Expr> dims = mapped(outer, &LoopVar::extent);
    dims.push_back(elements);
    return out_.add_temp(fresh(out_.tensor(s.target).name + "_line"), s.value->type, std::move(dims));
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

Expr is_near(const Expr& step) { return apply(ScalarOp::Le, {step, constant_int(kNear)}); }

std::optional<DType> every_window(const Kernel& k) {
  for (const KernelStatement& s : k.body) {
    const auto* r = std::get_if<Read>(&s.value->node);
    if (!r || s.loops.empty() || k.tensor(r->tensor).role != Role::Temp) continue;
    const auto walks = affine_in(r->index.back(), s.loops.back().name);
    if (walks && !constant_value(walks->coefficient)) return s.value->type;
  }
  return std::nullopt;
}

Kernel separate_windows(const Kernel& k) { return WindowSeparator(k).run(); }

}  // namespace tenon
