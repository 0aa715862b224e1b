// Finding parallel loops: those at the root whose results are all indexed by their variable.
#include <algorithm>

#include "algebra/linear.h"
#include "lower/kernel/kernel_ranges.h"
#include "lower/tree/place_temps.h"
#include "lower/tree/tree_passes.h"

namespace tenon {
namespace {

/// Iterations of an inner loop that are worth sharing; fewer may become plain statements.
constexpr int64_t kWorthSharing = 16;
/// Elements a block: enough that handing it to a worker costs little next to it.
constexpr int64_t kBlock = 8192;

bool indexed_by(const std::vector<Expr>& index, const std::string& var) {
  return std::any_of(index.begin(), index.end(), [&](const Expr& e) {
    const auto* v = std::get_if<VarRef>(&e->node);
    return v && v->name == var;
  });
}

using Index = std::vector<Expr>;

void collect(const Expr& e, int tensor, std::vector<Index>& out) {
  if (e)
    each_read(e, [&](const Read& r) {
      if (r.tensor == tensor) out.push_back(r.index);
    });
}

/// The index of every access to `tensor`.
void collect(const Tree& tree, int tensor, std::vector<Index>& out) {
  for (const TreeNode& n : tree) {
    if (const auto* l = std::get_if<TreeLoop>(&n.node)) collect(l->body, tensor, out);
    const auto* t = std::get_if<TreeTranspose>(&n.node);
    if (const auto* d = t ? &t->copy : std::get_if<TreeDefine>(&n.node)) {
      if (d->tensor == tensor) out.push_back(d->index);
      for (const Expr& e : d->index) collect(e, tensor, out);
      collect(d->value, tensor, out);
    }
    if (const auto* a = std::get_if<TreeAccumulate>(&n.node)) {
      collect(a->where, tensor, out);
      collect(a->value, tensor, out);
    }
  }
}

/// Whether each iteration of `var` has the loop go over a block of its own: from n·var to at most n·var + n.
bool goes_over_block(const TreeLoop& l, const std::string& var) {
  const auto from = l.begin ? affine_in(l.begin, var) : std::nullopt;
  const auto* end = from && l.end ? std::get_if<Apply>(&l.end->node) : nullptr;
  if (!end || end->op != ScalarOp::Min) return false;
  const LinearForm next = linear_form(l.begin + from->coefficient);
  return std::any_of(end->args.begin(), end->args.end(), [&](const Expr& bound) {
    const LinearForm rest = linear_form(bound) - next;
    return rest.terms.empty() && rest.constant == 0;
  });
}

/// Parallel loops of one kernel.
class ParallelLoops {
 public:
  ParallelLoops(const Kernel& k, const LoopTree& tree) : k_(k), tree_(tree), places_(place_temps(k, tree)) {}

  /// `rows`: a variable that has other values in each iteration of `var`, if there is one.
  bool independent(const Tree& body, const std::string& var, const std::string& rows = "") const {
    return std::all_of(body.begin(), body.end(), [&](const TreeNode& n) {
      if (const auto* l = std::get_if<TreeLoop>(&n.node))
        return independent(l->body, var, goes_over_block(*l, var) ? l->var.name : rows);
      const auto apart = [&](const Index& i) { return indexed_by(i, var) || indexed_by(i, rows); };
      if (const auto* t = std::get_if<TreeTranspose>(&n.node)) return apart(t->copy.index);
      const auto* d = std::get_if<TreeDefine>(&n.node);
      if (!d || !places_[static_cast<size_t>(d->tensor)].stored) return true;
      return k_.tensors[static_cast<size_t>(d->tensor)].role == Role::Output ? apart(d->index) : owned(d->tensor, var);
    });
  }

 private:
  /// A temp of which each iteration touches its own elements alone: every worker has one.
  bool owned(int tensor, const std::string& var) const {
    std::vector<Index> all;
    collect(tree_.body, tensor, all);
    for (size_t dim = 0; dim < k_.tensors[static_cast<size_t>(tensor)].dims.size(); ++dim)
      if (std::all_of(all.begin(), all.end(), [&](const Index& i) { return indexed_by({i[dim]}, var); })) return true;
    return false;
  }

  const Kernel& k_;
  const LoopTree& tree_;
  const std::vector<TempPlace> places_;
};

/// for block < ceil(N/elements): for i from block·elements to the lesser of N and the next block
TreeLoop blocked(TreeLoop l, int64_t elements) {
  const Expr size = constant_int(elements), block = var_ref("block.0");
  TreeLoop outer;
  outer.var = {"block.0", constant_int((*constant_value(l.var.extent) + elements - 1) / elements)};
  l.begin = block * size;
  l.end = apply(ScalarOp::Min, {l.var.extent, l.begin + size});
  outer.body.push_back({std::move(l)});
  return outer;
}

/// Marks the loop, and where only run time knows how often it runs, perhaps once, the one alone inside of it.
void mark(const ParallelLoops& loops, TreeLoop& l) {
  l.parallel = true;
  if (constant_value(l.var.extent) || l.body.size() != 1) return;
  auto* inner = std::get_if<TreeLoop>(&l.body[0].node);
  if (!inner || inner->ordered || inner->begin || inner->shape.lanes * inner->shape.parts > 1) return;
  if (constant_value(inner->var.extent).value_or(kWorthSharing) >= kWorthSharing &&
      loops.independent(inner->body, inner->var.name))
    mark(loops, *inner);
}

}  // namespace

void mark_parallel(const Kernel& k, LoopTree& tree) {
  const ParallelLoops loops(k, tree);
  for (TreeNode& n : tree.body) {
    auto* l = std::get_if<TreeLoop>(&n.node);
    if (!l || l->ordered || l->begin || !loops.independent(l->body, l->var.name)) continue;
    if (l->shape.lanes * l->shape.parts > 1) {
      const int64_t block = l->shape.lanes == 1 ? l->shape.parts : kBlock;  // rows side by side are long
      if (constant_value(l->var.extent).value_or(0) < 2 * block) continue;
      *l = blocked(*l, block);
    }
    mark(loops, *l);
  }
}

}  // namespace tenon
