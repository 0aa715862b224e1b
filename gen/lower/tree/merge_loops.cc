// merge-loops: two loops over one run of memory become one loop over all of its elements.
#include "algebra/simplify.h"
#include "lower/kernel/one_run.h"
#include "lower/tree/tree_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

void merge(const Kernel& k, Tree& t) {
  for (TreeNode& n : t) {
    auto* outer = std::get_if<TreeLoop>(&n.node);
    if (!outer) continue;
    merge(k, outer->body);
    const auto* inner = outer->body.size() == 1 ? std::get_if<TreeLoop>(&outer->body[0].node) : nullptr;
    if (!inner || outer->begin || outer->end || inner->begin || inner->end) continue;
    const bool one = all_of(inner->body, [&](const TreeNode& leaf) {
      const auto* d = std::get_if<TreeDefine>(&leaf.node);
      return d && d->update == Update::Assign && !d->where &&
             go_over_one_run(k, outer->var, inner->var, {d->tensor, d->index, d->value});
    });
    if (!one || outer->ordered || inner->ordered || outer->carried || inner->carried) continue;
    TreeLoop whole = *inner;
    whole.var.extent = simplify(outer->var.extent * inner->var.extent);
    const auto first_row = [&](const Expr& e, const Ranges& ranges) {
      return simplify(substitute(e, {{outer->var.name, constant_int(0)}}), ranges);
    };
    whole.body = changed_tree(whole.body, {}, first_row);
    n.node = std::move(whole);
  }
}

}  // namespace

void merge_loops(const Kernel& k, LoopTree& tree) { merge(k, tree.body); }

}  // namespace tenon
