// Finds the products of a recurrence and splits its statements into those of one step and those of all steps.
#include "lower/contraction/recurrence_steps.h"

#include <fmt/format.h>

#include <map>

#include "algebra/contraction.h"
#include "lower/contraction/contraction_builder.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The statement alone, and as a product of rows with a matrix of floats where it is one.
struct StepProduct {
  Kernel kernel;
  std::optional<Contraction> c;
};

StepProduct product_in(const Kernel& k, const KernelStatement& s) {
  StepProduct p{k, std::nullopt};
  p.kernel.body = {s};
  p.kernel.body[0].joined = 0;
  p.kernel.checks.clear();
  if (!std::holds_alternative<Reduce>(s.value->node) || !is_float(s.value->type)) return p;
  p.c = find_contraction(p.kernel);
  if (!p.c) return p;
  const bool plain = !p.c->transposed && p.c->outer_left.empty() && p.c->outer_right.empty();
  if (!plain || p.c->rows.empty() || p.c->columns.empty() || p.c->depth.empty() || !plain_read(p.c->right))
    p.c = std::nullopt;
  return p;
}

/// Whether no loop is shared with the statement before or after.
bool stands_alone(const std::vector<KernelStatement>& body, size_t i) {
  return body[i].joined == 0 && (i + 1 == body.size() || body[i + 1].joined == 0);
}

Expr elements_of(const std::vector<LoopVar>& vars) {
  Expr n = constant_int(1);
  for (const LoopVar& v : vars) n = n * v.extent;
  return n;
}

std::set<int> touched_by(const KernelStatement& s) {
  std::set<int> out{s.target};
  const auto see = [&](const Expr& e) {
    if (e) each_read(e, [&](const Read& r) { out.insert(r.tensor); });
  };
  for (const Expr& e : s.index) see(e);
  see(s.value);
  see(s.where);
  return out;
}

/// Statements that share loops, and how many of these all share, down to the last directed one.
struct StepGroup {
  size_t first = 0, end = 0, depth = 0;
};

StepGroup group_at(const Kernel& k, size_t first) {
  StepGroup g{first, end_of_joined(k.body, first), k.body[first].loops.size()};
  for (size_t i = first + 1; i < g.end; ++i) g.depth = std::min(g.depth, k.body[i].joined);
  const auto& loops = k.body[first].loops;
  while (g.depth > 0 && loops[g.depth - 1].direction == Direction::Any) --g.depth;
  return g;
}

/// The group's loops over steps become sizes; loops around them that carry nothing go inside.
SteppedGroup stepped(const Kernel& k, const StepGroup& g) {
  SteppedGroup out{k, {}, {}};
  out.kernel.checks.clear();
  out.kernel.body.clear();
  std::vector<LoopVar> inner;
  std::vector<Expr> values;
  const auto& loops = k.body[g.first].loops;
  for (size_t i = 0; i < g.depth; ++i) {
    if (loops[i].direction == Direction::Any) {
      inner.push_back(loops[i]);
      values.push_back(var_ref(loops[i].name));
      continue;
    }
    const std::string name = unused_name(out.kernel, loops[i].name);
    out.kernel.sizes.push_back({name, 0, INT64_MAX});
    out.kernel.facts.push_back(apply(ScalarOp::Lt, {size_ref(name), loops[i].extent}));
    out.lead.push_back(loops[i]);
    out.names.push_back(name);
    values.push_back(size_ref(name));
  }
  for (size_t n = 0; n < k.body.size(); ++n) {
    KernelStatement s = k.body[n];
    if (n < g.first || n >= g.end) {
      const std::set<int> touched = touched_by(s);
      out.outside.insert(touched.begin(), touched.end());
      continue;
    }
    std::map<std::string, Expr> names;
    for (size_t i = 0; i < g.depth; ++i) names[s.loops[i].name] = values[i];
    map_exprs(s, [&](const Expr& e) { return substitute(e, names); });
    s.joined = s.joined > g.depth ? s.joined - g.depth + inner.size() : 0;
    s.loops.erase(s.loops.begin(), s.loops.begin() + static_cast<std::ptrdiff_t>(g.depth));
    s.loops.insert(s.loops.begin(), inner.begin(), inner.end());
    out.kernel.body.push_back(std::move(s));
  }
  return out;
}

/// Rows of products that are no plain reads, such as padded(Y[t - 1,b,k], H0[b,k]), are put together once a step.
class RowsCopier {
 public:
  explicit RowsCopier(Kernel& k) : k_(k) {}

  void run() {
    std::vector<KernelStatement> body = std::move(k_.body);
    k_.body.clear();
    for (size_t i = 0; i < body.size(); ++i) {
      if (stands_alone(body, i)) copy_rows(body[i]);
      std::erase_if(copies_, [&](const Copy& c) { return reads_tensor(c.value, body[i].target); });
      k_.body.push_back(std::move(body[i]));
    }
  }

 private:
  struct Copy {
    Expr value;  ///< over `rows.n` and `depth.n`
    int tensor = 0;
  };

  void copy_rows(KernelStatement& s) {
    const StepProduct p = is_in_recurrence(s) ? StepProduct{} : product_in(k_, s);
    const Read* left = p.c ? plain_read(p.c->left) : nullptr;
    if (!p.c || (left && !left->fill)) return;
    std::vector<LoopVar> loops = concat(p.c->rows, p.c->depth);
    std::map<std::string, Expr> names;
    std::vector<Expr> index;
    for (LoopVar& v : loops) {
      index.push_back(var_ref(v.name));
      v.name = fmt::format("row_{}", names.size());
      names[std::get<VarRef>(index.back()->node).name] = var_ref(v.name);
    }
    const int tensor = copy_of(substitute(p.c->left, names), loops, s);
    const auto& r = std::get<Reduce>(s.value->node);
    const Expr value = read_of(tensor, p.c->left->type, std::move(index)) * p.c->right;
    s.value = reduce_like(r, p.c->depth, nullptr, value, s.value->type);
  }

  int copy_of(const Expr& value, const std::vector<LoopVar>& loops, const KernelStatement& of) {
    for (const Copy& c : copies_)
      if (same(c.value, value)) return c.tensor;
    KernelStatement s;
    s.index = var_refs(loops);
    s.target =
        k_.add_temp(unused_name(k_, k_.tensor(of.target).name + "_rows"), value->type, mapped(loops, &LoopVar::extent));
    s.value = value;
    s.loops = loops;
    s.formula = of.formula;
    k_.body.push_back(std::move(s));
    copies_.push_back({value, k_.body.back().target});
    return copies_.back().tensor;
  }

  Kernel& k_;
  std::vector<Copy> copies_;
};

class StepCutter {
 public:
  explicit StepCutter(const Kernel& k) : k_(k) {}

  std::optional<RecurrenceSteps> run() {
    std::vector<KernelStatement> others;
    for (size_t first = 0, end = 0; first < k_.body.size(); first = end) {
      end = end_of_joined(k_.body, first);
      if (out_.steps.empty() && is_in_recurrence(k_.body[first]) && step(first)) {
        out_.before = cut(k_, std::move(others), false);
        others.clear();
        continue;
      }
      others.insert(others.end(), k_.body.begin() + static_cast<std::ptrdiff_t>(first),
                    k_.body.begin() + static_cast<std::ptrdiff_t>(end));
    }
    (out_.steps.empty() ? out_.before : out_.after) = cut(k_, std::move(others), false);
    if (!out_.rows) return std::nullopt;
    share_temps();
    return std::move(out_);
  }

 private:
  /// Whether the group at `first` has products, each of which is done once a step.
  bool step(size_t first) {
    const StepGroup group = group_at(k_, first);
    if (group.depth == 0) return false;
    SteppedGroup g = stepped(k_, group);
    keep_steps(g);
    RowsCopier(g.kernel).run();
    std::vector<KernelStatement> body = std::move(g.kernel.body);
    g.kernel.body.clear();
    std::vector<StepSegment> segments = cut(g.kernel, std::move(body), true);
    if (none_of(segments, [](const StepSegment& s) { return s.contracts; })) return false;
    out_.steps = std::move(segments);
    out_.lead = std::move(g.lead);
    out_.lead_names = std::move(g.names);
    kept_ = std::move(g.kept);
    return true;
  }

  /// Each product alone, the statements between two of them together. Of a step only products are meant whose matrix no
  /// step writes.
  std::vector<StepSegment> cut(const Kernel& of, std::vector<KernelStatement> body, bool is_step) {
    std::vector<StepSegment> out;
    Kernel empty = of;
    empty.body.clear();
    empty.checks.clear();
    std::set<int> written;
    for (const KernelStatement& s : body)
      if (is_step) written.insert(s.target);
    for (size_t i = 0; i < body.size(); ++i) {
      StepProduct p = stands_alone(body, i) && !is_in_recurrence(body[i]) ? product_in(empty, body[i]) : StepProduct{};
      const Read* matrix = p.c ? plain_read(p.c->right) : nullptr;
      const bool contracts = matrix && written.count(matrix->tensor) == 0 && steady(of, *matrix);
      if (contracts && !out_.rows) out_.rows = elements_of(p.c->rows), out_.columns = elements_of(p.c->columns);
      if (contracts || out.empty() || out.back().contracts) out.push_back({contracts, empty});
      out.back().kernel.body.push_back(std::move(body[i]));
    }
    return out;
  }

  /// Whether a matrix is the same in all steps.
  bool steady(const Kernel& step, const Read& matrix) const {
    bool ok = true;
    for (const Expr& e : matrix.index)
      walk(e, [&](const Expr& x) {
        const auto* s = std::get_if<SizeRef>(&x->node);
        for (size_t i = k_.sizes.size(); s && i < step.sizes.size(); ++i) ok = ok && step.sizes[i].name != s->name;
        return ok;
      });
    return ok;
  }

  /// Temps that more than one segment touches, or that outlive a step, are inputs and outputs of segments.
  void share_temps() {
    std::map<int, std::set<const StepSegment*>> touching;
    std::map<int, Tensor> tensors;
    each_segment([&](StepSegment& seg) {
      for (const KernelStatement& s : seg.kernel.body)
        for (const int t : touched_by(s)) {
          touching[t].insert(&seg);
          tensors.try_emplace(t, seg.kernel.tensor(t));
        }
    });
    for (const auto& [t, segments] : touching) {
      if (tensors.at(t).role != Role::Temp || (segments.size() < 2 && kept_.count(t) == 0)) continue;
      out_.shared.push_back(tensors.at(t));
      each_segment([&, number = t](StepSegment& seg) {
        if (touching.at(number).count(&seg) == 0) return;
        const bool here = any_of(seg.kernel.body, [&](const KernelStatement& s) { return s.target == number; });
        seg.kernel.tensor(number).role = here ? Role::Output : Role::Input;
      });
    }
  }

  void each_segment(FunctionRef<void(StepSegment&)> f) {
    for (auto* part : {&out_.before, &out_.steps, &out_.after})
      for (StepSegment& s : *part) f(s);
  }

  const Kernel& k_;
  RecurrenceSteps out_;
  std::set<int> kept_;
};

}  // namespace

std::optional<RecurrenceSteps> find_recurrence_steps(const Kernel& k) {
  if (k.call || !has_recurrence(k)) return std::nullopt;
  return StepCutter(k).run();
}

}  // namespace tenon
