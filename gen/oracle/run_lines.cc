// A line is all values of the innermost variable, or a part of them. Values that do not depend on it are computed once.
#include "oracle/run_lines.h"

#include <optional>

#include "support/parallel.h"
#include "support/ranges.h"

namespace tenon {
namespace {

constexpr int64_t kLineLength = 512;
constexpr int64_t kMuchWork = 65536;  // minimum number of elements for which starting threads pays off

/// Compiles expressions to line values; empty if a subexpression has no such form.
class LineCompiler {
 public:
  LineCompiler(const std::vector<LoopVar>& loops, const OracleCall& call, const TensorShapes& shapes)
      : loops_(loops), call_(call), shapes_(shapes) {}

  std::optional<LineValue> compile(const Expr& e) {
    if (is_complex(e->type)) return std::nullopt;
    LineValue v;
    v.type = e->type;
    return std::visit([&](const auto& n) { return of(n, std::move(v)); }, e->node);
  }

 private:
  using Made = std::optional<LineValue>;

  static Made number(const Number& n, LineValue v) {
    v.kind = LineValue::Kind::constant;
    v.value = n;
    v.uniform = v.affine = true;
    return v;
  }
  Made of(const Constant& c, LineValue v) { return number({c.i, c.f}, std::move(v)); }
  Made of(const SizeRef& s, LineValue v) { return number({call_.sizes.at(s.name)}, std::move(v)); }
  Made of(const AttrRef& a, LineValue v) {
    return number(call_.attrs.at(a.name).at(static_cast<size_t>(a.element)), std::move(v));
  }
  Made of(const VarRef& r, LineValue v) {
    const auto at = find_if(loops_, [&](const LoopVar& l) { return l.name == r.name; });
    if (at == loops_.end()) return std::nullopt;
    v.kind = LineValue::Kind::variable;
    v.slot = static_cast<size_t>(at - loops_.begin());
    v.uniform = v.slot + 1 < loops_.size();
    v.affine = true;
    return v;
  }
  Made of(const Reduce&, LineValue) { return std::nullopt; }
  Made of(const Read& r, LineValue v) {
    v.kind = LineValue::Kind::read;
    v.slot = static_cast<size_t>(r.tensor);
    v.dims = &shapes_.dims[v.slot];
    v.strides = &shapes_.strides[v.slot];
    v.padded = r.fill != nullptr;
    std::vector<Expr> parts = r.index;
    if (r.fill) parts.push_back(r.fill);
    if (!add_parts({parts.begin(), parts.end()}, v) || (r.fill && !v.parts.back().uniform)) return std::nullopt;
    return v;
  }
  Made of(const Apply& a, LineValue v) {
    const bool is_lazy = (a.op == ScalarOp::And || a.op == ScalarOp::Or) && v.type == DType::Bool;
    if (is_lazy && has_node<Read>(a.args[1])) return std::nullopt;
    v.kind = LineValue::Kind::apply;
    v.op = a.op;
    if (!add_parts({a.args.begin(), a.args.end()}, v)) return std::nullopt;
    const auto line = [&](size_t i) { return v.parts[i].affine; };
    const auto once = [&](size_t i) { return v.parts[i].uniform; };
    v.affine = v.uniform ||
               (v.type == DType::I64 && (((a.op == ScalarOp::Add || a.op == ScalarOp::Sub) && line(0) && line(1)) ||
                                         (a.op == ScalarOp::Mul && line(0) && line(1) && (once(0) || once(1)))));
    return v;
  }
  Made of(const Select& s, LineValue v) {
    v.kind = LineValue::Kind::select;
    if (!add_parts({s.cond, s.yes, s.no}, v)) return std::nullopt;
    if (!v.parts[0].uniform && (has_node<Read>(s.yes) || has_node<Read>(s.no))) return std::nullopt;
    return v;
  }

  bool add_parts(const std::vector<Expr>& exprs, LineValue& v) {
    v.uniform = true;
    for (const Expr& e : exprs) {
      auto part = compile(e);
      if (!part) return false;
      v.uniform = v.uniform && part->uniform;
      v.parts.push_back(*std::move(part));
    }
    return true;
  }

  const std::vector<LoopVar>& loops_;
  const OracleCall& call_;
  const TensorShapes& shapes_;
};

/// The statement as a store of a line.
std::optional<LineValue> compile_store(const KernelStatement& s, const std::vector<LoopVar>& loops,
                                       const OracleCall& call, const TensorShapes& shapes) {
  LineCompiler compiler(loops, call, shapes);
  LineValue store;
  store.kind = LineValue::Kind::read;
  store.slot = static_cast<size_t>(s.target);
  store.dims = &shapes.dims[store.slot];
  store.strides = &shapes.strides[store.slot];
  for (const Expr& e : s.index) {
    auto part = compiler.compile(e);
    if (!part || !part->affine) return std::nullopt;
    store.parts.push_back(*std::move(part));
  }
  auto value = compiler.compile(s.value);
  if (!value) return std::nullopt;
  store.parts.push_back(*std::move(value));
  return store;
}

/// The loops with the one that lines are along last: the innermost, or the longest where that is short.
std::vector<LoopVar> with_lines_last(const std::vector<LoopVar>& loops, const OracleCall& call) {
  constexpr int64_t kShort = 32;
  std::vector<LoopVar> out = loops;
  size_t best = loops.size() - 1;
  const auto extent = [&](size_t k) { return evaluate_size(loops[k].extent, call); };
  if (extent(best) < kShort)
    for (size_t k = loops.size() - 1; k-- > 0;)
      if (extent(k) > extent(best)) best = k;
  std::rotate(out.begin() + static_cast<std::ptrdiff_t>(best), out.begin() + static_cast<std::ptrdiff_t>(best) + 1,
              out.end());
  return out;
}

/// Lines `from` to `to`-1 of all that the outer loops count.
void run_some(LineValue store, const std::vector<int64_t>& extents, int64_t from, int64_t to, OracleCall& call) {
  std::vector<int64_t> vars(extents.size(), 0);
  for (int64_t line = from; line < to; ++line) {
    int64_t rest = line;
    for (size_t k = extents.size() - 1; k-- > 0; rest /= extents[k]) vars[k] = rest % extents[k];
    for (int64_t first = 0; first < extents.back(); first += kLineLength) {
      vars.back() = first;
      store_line(store, {vars, std::min(kLineLength, extents.back() - first)}, call.tensors);
    }
  }
}

}  // namespace

bool run_in_lines(const Kernel& kernel, const KernelStatement& s, const TensorShapes& shapes, OracleCall& call) {
  if (s.update != Update::Assign || s.where || s.loops.empty() || is_in_recurrence(s) || call.rounded ||
      call.any_sizes || is_complex(kernel.tensor(s.target).dtype))
    return false;
  const std::vector<LoopVar> loops = with_lines_last(s.loops, call);
  const auto store = compile_store(s, loops, call, shapes);
  if (!store) return false;
  std::vector<int64_t> extents = mapped(loops, [&](const LoopVar& v) { return evaluate_size(v.extent, call); });
  int64_t lines = 1;
  for (size_t k = 0; k + 1 < extents.size(); ++k) lines *= extents[k];
  if (lines * extents.back() == 0) return true;
  const int64_t parts = lines * extents.back() < kMuchWork ? 1 : std::min<int64_t>(lines, 64);
  for_each_index(static_cast<size_t>(parts), [&](size_t p) {
    const auto at = static_cast<int64_t>(p);
    run_some(*store, extents, lines * at / parts, lines * (at + 1) / parts, call);
  });
  return true;
}

}  // namespace tenon
