// share-functions: sum[n](exp(X[n])*V[n])/sum[n](exp(X[n])) names exp(X[n]), so that the loop of both sums computes it
// once.

#include "lower/kernel/kernel_passes.h"
#include "lower/kernel/kernel_ranges.h"
#include "support/ranges.h"

namespace tenon {
namespace {

const Reduce& reduction_of(const KernelStatement& s) { return std::get<Reduce>(s.value->node); }

/// A reduction of everything along its variables, whose loops others of the same extents join.
bool is_whole_reduction(const KernelStatement& s) {
  const auto* r = std::get_if<Reduce>(&s.value->node);
  return r && !r->where && r->op != Reducer::Fold && s.update == Update::Assign && s.joined == 0 && !s.where &&
         !is_in_recurrence(s);
}

bool same_loops(const std::vector<LoopVar>& a, const std::vector<LoopVar>& b, bool same_names) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const LoopVar& x, const LoopVar& y) {
    return same(x.extent, y.extent) && (!same_names || x.name == y.name);
  });
}

Expr replaced(const Expr& e, const Expr& from, const Expr& to) {
  return same(e, from) ? to : map_children(e, [&](const Expr& c) { return replaced(c, from, to); });
}

class FunctionSharer {
 public:
  explicit FunctionSharer(const Kernel& k) : out_(k), sizes_(size_ranges(k)) {}

  Kernel run() {
    for (size_t i = 0; i < out_.body.size(); ++i)
      if (is_whole_reduction(out_.body[i])) i += name_shared(i);
    return std::move(out_);
  }

 private:
  /// Names what statement `first` has in common with later ones; says how many statements that puts before it.
  size_t name_shared(size_t first) {
    size_t named = 0;
    std::vector<Expr> costly;
    collect(reduction_of(out_.body[first]).value, costly);
    for (const Expr& e : costly) {
      std::vector<size_t> users = {first + named};
      for (size_t k = first + named + 1; k < out_.body.size() && !changes(out_.body[k - 1], e); ++k)
        if (runs_beside(first + named, k) &&
            contains(reduction_of(out_.body[k]).value, in_terms_of(e, first + named, k)))
          users.push_back(k);
      if (users.size() == 1 || !is_safe(first + named, e)) continue;
      name(e, users);
      ++named;
    }
    return named;
  }

  /// The costly functions of elements that every pass of the loop computes, the largest expressions of their kind.
  static void collect(const Expr& e, std::vector<Expr>& out) {
    if (std::holds_alternative<Select>(e->node) || std::holds_alternative<Read>(e->node) ||
        std::holds_alternative<Reduce>(e->node))
      return;
    if (is_costly(e)) {
      if (none_of(out, [&](const Expr& o) { return same(o, e); })) out.push_back(e);
      return;
    }
    each_child(e, [&](const Expr& c) { collect(c, out); });
  }

  static bool contains(const Expr& value, const Expr& e) {
    std::vector<Expr> all;
    collect(value, all);
    return any_of(all, [&](const Expr& o) { return same(o, e); });
  }

  /// Whether what `e` reads is something else after the statement.
  static bool changes(const KernelStatement& s, const Expr& e) { return reads_tensor(e, s.target); }

  bool runs_beside(size_t a, size_t b) const {
    const KernelStatement &x = out_.body[a], &y = out_.body[b];
    return is_whole_reduction(y) && same_loops(x.loops, y.loops, true) &&
           same_loops(reduction_of(x).vars, reduction_of(y).vars, false);
  }

  /// What statement `a` says over its reduced variables, over those of `b`.
  Expr in_terms_of(const Expr& e, size_t a, size_t b) const {
    std::map<std::string, Expr> names;
    const std::vector<LoopVar>&x = reduction_of(out_.body[a]).vars, &y = reduction_of(out_.body[b]).vars;
    for (size_t k = 0; k < x.size(); ++k) names[x[k].name] = var_ref(y[k].name);
    return substitute(e, names);
  }

  bool is_safe(size_t statement, const Expr& e) const {
    const KernelStatement& s = out_.body[statement];
    const std::vector<LoopVar>& vars = reduction_of(s).vars;
    Ranges ranges = sizes_;
    add_loops(ranges, s.loops);
    add_loops(ranges, vars);
    return always_defined(out_, e, ranges) && all_of(vars, [&](const LoopVar& v) { return mentions(e, v.name); });
  }

  void name(const Expr& e, const std::vector<size_t>& users) {
    const KernelStatement& first = out_.body[users[0]];
    KernelStatement made;
    std::vector<LoopVar> loops = concat(first.loops, reduction_of(first).vars);
    for (const LoopVar& v : loops)
      if (mentions(e, v.name)) made.loops.push_back(v);
    made.index = var_refs(made.loops);
    made.value = e;
    made.formula = first.formula;
    std::string of = out_.tensors[static_cast<size_t>(first.target)].name + "_value";
    while (any_of(out_.tensors, [&](const Tensor& o) { return o.name == of; })) of += "_";
    made.target = out_.add_temp(of, e->type, mapped(made.loops, &LoopVar::extent));
    for (const size_t k : users) {
      const Expr theirs = in_terms_of(e, users[0], k),
                 at = in_terms_of(read_of(made.target, e->type, made.index), users[0], k);
      KernelStatement& s = out_.body[k];
      const Reduce r = reduction_of(s);
      s.value = reduce_like(r, r.vars, r.where, replaced(r.value, theirs, at), s.value->type);
    }
    out_.body.insert(out_.body.begin() + static_cast<std::ptrdiff_t>(users[0]), std::move(made));
  }

  Kernel out_;
  Ranges sizes_;
};

}  // namespace

Kernel share_functions(const Kernel& k) { return FunctionSharer(k).run(); }

}  // namespace tenon
