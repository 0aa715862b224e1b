// Sums over the repetitions of what a call broadcasts: an operand has either one element along a dimension, or all that
// there are, each once.
#include <map>

#include "lower/kernel/fork_parts.h"
#include "lower/kernel/kernel_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Sizes of a dimension of which one is 1.
struct Repeat {
  std::string elements, times;
};

/// The size that is compared with 1; "" if the expression is something else.
std::string size_of_one(const Expr& e) {
  const auto* equal = std::get_if<Apply>(&e->node);
  return equal && equal->op == ScalarOp::Eq && is_one(equal->args[1]) ? size_name(equal->args[0]) : "";
}

bool is_extent_of_result(const Kernel& k, const std::string& size) {
  return any_of(k.tensors, [&](const Tensor& t) {
    return t.role == Role::Output && any_of(t.dims, [&](const Expr& d) { return size_name(d) == size; });
  });
}

/// What the fact says of sizes that only run time knows. Of two strides one may be 1 as well, which is something else.
std::optional<Repeat> repeat_in(const Kernel& k, const Expr& fact) {
  const auto* either = std::get_if<Apply>(&fact->node);
  if (!either || either->op != ScalarOp::Or) return std::nullopt;
  const Repeat r{size_of_one(either->args[0]), size_of_one(either->args[1])};
  const bool both =
      is_extent_of_result(k, r.elements) && !r.times.empty() && is_open(k, r.elements) && is_open(k, r.times);
  return both ? std::optional(r) : std::nullopt;
}

/// Outermost first.
std::vector<Repeat> repeats_of(const Kernel& k) {
  std::vector<Repeat> out;
  for (const Expr& fact : k.facts)
    if (const auto r = repeat_in(k, fact)) out.push_back(*r);
  return out;
}

/// The kernel with such a size known, of which no more is asked.
Kernel with_last(const Kernel& k, const std::string& size) {
  Kernel out = k;
  std::erase_if(out.facts, [&](const Expr& fact) { return repeat_in(k, fact).has_value(); });
  return with_sizes(out, {{size, 1}});
}

/// Extents of variables that are sizes.
std::map<std::string, std::string> sizes_of_variables(const Kernel& k) {
  std::map<std::string, std::string> out;
  for (const KernelStatement& s : k.body) {
    for (const LoopVar& v : s.loops) out[v.name] = size_name(v.extent);
    each_node<Reduce>(s.value, [&](const Reduce& r) {
      for (const LoopVar& v : r.vars) out[v.name] = size_name(v.extent);
    });
  }
  for (const Check& c : k.checks)
    for (const LoopVar& v : c.loops) out[v.name] = size_name(v.extent);
  return out;
}

class RepeatSplitter {
 public:
  explicit RepeatSplitter(const Kernel& k) : out_(k), repeats_(repeats_of(k)), sizes_(sizes_of_variables(k)) {}

  Kernel run() {
    for (size_t t = 0; t < out_.tensors.size() && !repeats_.empty(); ++t)
      if (out_.tensors[t].role == Role::Input)
        for (size_t d = out_.tensors[t].dims.size(); d-- > 0;) split(static_cast<int>(t), d);
    return std::move(out_);
  }

 private:
  /// `s + r`, where s goes over the elements and r over their repetitions; null if the index is something else.
  const Repeat* at(const Expr& index) const {
    const auto* sum = std::get_if<Apply>(&index->node);
    if (!sum || sum->op != ScalarOp::Add) return nullptr;
    const auto *s = std::get_if<VarRef>(&sum->args[0]->node), *r = std::get_if<VarRef>(&sum->args[1]->node);
    if (!s || !r || sizes_.count(s->name) == 0 || sizes_.count(r->name) == 0) return nullptr;
    for (const Repeat& one : repeats_)
      if (one.elements == sizes_.at(s->name) && one.times == sizes_.at(r->name)) return &one;
    return nullptr;
  }

  /// Both variables get a dimension of their own, with the stride of the one that they were added in.
  void split(int tensor, size_t d) {
    const Repeat* by = nullptr;
    bool all = true;
    map_exprs(out_, [&](const Expr& e) {  // reads in indices, conditions and checks too: all are rewritten
      if (!e) return e;
      each_node<Read>(e, [&](const Read& r) {
        if (r.tensor != tensor) return;
        const Repeat* here = r.fill ? nullptr : at(r.index[d]);
        all = all && here && (!by || by == here);
        by = here;
      });
      return e;
    });
    if (!by || !all) return;
    Tensor& t = out_.tensor(tensor);
    const auto place = static_cast<std::ptrdiff_t>(d);
    t.dims[d] = size_ref(by->elements);
    t.dims.insert(t.dims.begin() + place + 1, size_ref(by->times));
    const Expr stride = t.strides[d];
    t.strides.insert(t.strides.begin() + place, stride);
    out_ = map_exprs(out_, [&](const Expr& e) { return read_by_parts(e, tensor, d); });
  }

  static Expr read_by_parts(const Expr& e, int tensor, size_t d) {
    const Expr with = map_children(e, [&](const Expr& c) { return read_by_parts(c, tensor, d); });
    const auto* r = std::get_if<Read>(&with->node);
    if (!r || r->tensor != tensor) return with;
    std::vector<Expr> index = r->index;
    const Few<Expr> parts = std::get<Apply>(index[d]->node).args;
    index[d] = parts[0];
    index.insert(index.begin() + static_cast<std::ptrdiff_t>(d) + 1, parts[1]);
    return read_of(tensor, with->type, std::move(index), r->fill);
  }

  Kernel out_;
  const std::vector<Repeat> repeats_;
  const std::map<std::string, std::string> sizes_;
};

}  // namespace

Kernel split_repeats(const Kernel& k) { return RepeatSplitter(k).run(); }

std::optional<Fork> fork_repeated(const Kernel& k) {
  std::map<std::string, int64_t> once;
  Expr holds;
  for (const Repeat& r : repeats_of(k)) {
    once[r.times] = 1;
    holds = both(holds, equals(size_ref(r.times), 1));
  }
  if (!holds || ruled_out(k, holds)) return std::nullopt;
  Fork f = fork_on(holds, with_sizes(k, once), k);
  f.what = "nothing is repeated";
  return f;
}

std::optional<Fork> fork_last_repeated(const Kernel& k) {
  const std::vector<Repeat> repeats = repeats_of(k);
  if (repeats.empty()) return std::nullopt;
  const Repeat& last = repeats.back();
  // the other size is 1 where this one is not
  return Fork{{}, equals(size_ref(last.elements), 1), with_last(k, last.elements), with_last(k, last.times)};
}

}  // namespace tenon
