// Finding parallel loops: those at the root whose results are all indexed by their variable.
#include "lower/mark_parallel.h"

#include <algorithm>

#include "lower/kernel_ranges.h"
#include "lower/place_temps.h"

namespace tenon {
namespace {

/// Elements a block: enough that handing it to a worker costs little beside it.
constexpr int64_t kBlock = 8192;

bool indexed_by(const std::vector<Expr>& index, const std::string& var) {
  return std::any_of(index.begin(), index.end(), [&](const Expr& e) {
    const auto* v = std::get_if<VarRef>(&e->node);
    return v && v->name == var;
  });
}

bool independent(const Kernel& k, const std::vector<TempPlace>& places, const Tree& tree, const std::string& var) {
  return std::all_of(tree.begin(), tree.end(), [&](const TreeNode& n) {
    if (const auto* l = std::get_if<TreeLoop>(&n.node)) return independent(k, places, l->body, var);
    if (const auto* t = std::get_if<TreeTranspose>(&n.node)) return indexed_by(t->copy.index, var);
    const auto* d = std::get_if<TreeDefine>(&n.node);
    if (!d || !places[static_cast<size_t>(d->tensor)].stored) return true;
    return k.tensors[static_cast<size_t>(d->tensor)].role == Role::Output && indexed_by(d->index, var);
  });
}

/// for block < ceil(N/kBlock): for i from block·kBlock to the lesser of N and the next block
TreeLoop blocked(TreeLoop l) {
  const Expr size = constant_int(kBlock), block = var_ref("block.0");
  TreeLoop outer;
  outer.var = {"block.0", constant_int((*constant_value(l.var.extent) + kBlock - 1) / kBlock)};
  l.begin = block * size;
  l.end = apply(ScalarOp::Min, {l.var.extent, l.begin + size});
  outer.body.push_back({std::move(l)});
  return outer;
}

}  // namespace

void mark_parallel(const Kernel& k, LoopTree& tree) {
  const std::vector<TempPlace> places = place_temps(k, tree);
  for (TreeNode& n : tree.body) {
    auto* l = std::get_if<TreeLoop>(&n.node);
    if (!l || l->ordered || l->begin || !independent(k, places, l->body, l->var.name)) continue;
    if (l->shape.lanes * l->shape.parts > 1) {
      if (constant_value(l->var.extent).value_or(0) < 2 * kBlock) continue;
      *l = blocked(*l);
    }
    l->parallel = true;
  }
}

}  // namespace tenon
