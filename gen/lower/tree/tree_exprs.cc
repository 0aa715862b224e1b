// Walks over the expressions of a loop tree.
#include "lower/tree/loop_tree.h"

namespace tenon {

Tree changed_tree(const Tree& tree, Ranges ranges, FunctionRef<Expr(const Expr&, const Ranges&)> change) {
  const auto in = [&](const Expr& e) { return e ? change(e, ranges) : e; };
  Tree out = tree;
  for (TreeNode& n : out) {
    if (auto* l = std::get_if<TreeLoop>(&n.node)) {
      l->var.extent = in(l->var.extent);
      l->begin = in(l->begin);
      l->end = in(l->end);
      Ranges inner = ranges;
      inner.extents[l->var.name] = l->var.extent;
      l->body = changed_tree(l->body, inner, change);
    } else if (auto* d = std::get_if<TreeDefine>(&n.node)) {
      for (Expr& e : d->index) e = in(e);
      d->value = in(d->value);
      d->where = in(d->where);
    } else if (auto* b = std::get_if<TreeBegin>(&n.node)) {
      b->start = in(b->start);
    } else if (auto* a = std::get_if<TreeAccumulate>(&n.node)) {
      a->where = in(a->where);
      a->value = in(a->value);
      a->position = in(a->position);
    }
  }
  return out;
}

void each_value(const Tree& tree, FunctionRef<void(const Expr&)> f) {
  for (const TreeNode& n : tree) {
    const auto see = [&](const Expr& e) {
      if (e) f(e);
    };
    if (const auto* l = std::get_if<TreeLoop>(&n.node)) {
      see(l->begin);
      see(l->end);
      each_value(l->body, f);
    } else if (const auto* d = std::get_if<TreeDefine>(&n.node)) {
      for (const Expr& e : d->index) f(e);
      f(d->value);
      see(d->where);
    } else if (const auto* b = std::get_if<TreeBegin>(&n.node)) {
      see(b->start);
    } else if (const auto* a = std::get_if<TreeAccumulate>(&n.node)) {
      see(a->where);
      f(a->value);
    }
  }
}

}  // namespace tenon
