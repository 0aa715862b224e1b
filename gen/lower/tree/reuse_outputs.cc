// Finds a temporary and an output that never hold different live values at once, and merges them.

#include "algebra/simplify.h"
#include "lower/tree/place_temps.h"
#include "lower/tree/tree_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// A leaf of the tree with the loops around it, in the order in which it runs.
struct Leaf {
  std::vector<const TreeLoop*> loops;
  const TreeDefine* define = nullptr;
  std::vector<Expr> values;
};

/// The expressions of a leaf, without those that are null.
Leaf leaf_of(const std::vector<const TreeLoop*>& loops, const TreeDefine* define, std::vector<Expr> values) {
  std::erase_if(values, [](const Expr& e) { return !e; });
  return {loops, define, std::move(values)};
}

void collect(const Tree& tree, std::vector<const TreeLoop*>& loops, std::vector<Leaf>& out) {
  for (const TreeNode& n : tree) {
    if (const auto* l = std::get_if<TreeLoop>(&n.node)) {
      out.push_back(leaf_of(loops, nullptr, {l->begin, l->end, l->needed}));
      loops.push_back(l);
      collect(l->body, loops, out);
      loops.pop_back();
    } else if (const auto* d = std::get_if<TreeDefine>(&n.node)) {
      out.push_back(leaf_of(loops, d, {d->value, d->where}));
      append(out.back().values, d->index);
    } else if (const auto* b = std::get_if<TreeBegin>(&n.node)) {
      out.push_back(leaf_of(loops, nullptr, {b->start}));
    } else if (const auto* a = std::get_if<TreeAccumulate>(&n.node)) {
      out.push_back(leaf_of(loops, nullptr, {a->value, a->where, a->position}));
    }
  }
}

class Reuse {
 public:
  Reuse(const Kernel& k, const LoopTree& tree) : k_(k) {
    std::vector<const TreeLoop*> loops;
    collect(tree.body, loops, leaves_);
  }

  /// The output that can hold `temp`, or -1.
  int output_for(int temp) const {
    for (size_t i = 0; i < leaves_.size(); ++i) {
      const TreeDefine* d = leaves_[i].define;
      if (d && fits(temp, i, *d)) return d->tensor;
    }
    return -1;
  }

 private:
  bool fits(int temp, size_t last, const TreeDefine& d) const {
    const Tensor &t = k_.tensor(temp), &o = k_.tensor(d.tensor);
    if (o.role != Role::Output || o.shared || !o.given.empty() || d.update != Update::Assign || t.dtype != o.dtype ||
        !same(t.dims, o.dims))
      return false;
    int definitions = 0;
    bool used_last = false;
    for (size_t i = 0; i < leaves_.size(); ++i) {
      const Leaf& leaf = leaves_[i];
      if (i != last && (touches(leaf, d.tensor) || (i > last && touches(leaf, temp)))) return false;
      for (const auto& index : accesses(leaf, temp)) {
        if (i == last ? !same(index, d.index) : !confined(leaf, leaves_[last], index, d.index)) return false;
        used_last = used_last || i == last;
      }
      definitions += leaf.define && leaf.define->tensor == temp ? 1 : 0;
      if (filled(leaf, temp)) return false;
    }
    return definitions == 1 && used_last;
  }

  /// Whether the index is the variable of a loop over the piece of an iteration of `around`, a loop over pieces.
  static bool is_in_piece(const Leaf& leaf, const TreeLoop& around, const Expr& index) {
    return any_of(leaf.loops, [&](const TreeLoop* l) {
      const auto piece = is_variable(index, l->var.name) ? piece_of(*l) : std::nullopt;
      return piece && same(l->begin, simplify(var_ref(around.var.name) * constant_int(*piece)));
    });
  }

  /// In loops that both leaves share, both touch the element of the same iteration only.
  static bool confined(const Leaf& leaf, const Leaf& last, const std::vector<Expr>& index,
                       const std::vector<Expr>& final_index) {
    for (size_t l = 0; l < leaf.loops.size() && l < last.loops.size() && leaf.loops[l] == last.loops[l]; ++l) {
      const TreeLoop& both = *leaf.loops[l];
      bool aligned = false;
      for (size_t d = 0; d < index.size(); ++d)
        aligned = aligned || (is_variable(index[d], both.var.name) && is_variable(final_index[d], both.var.name)) ||
                  (is_in_piece(leaf, both, index[d]) && is_in_piece(last, both, final_index[d]));
      if (!aligned) return false;
    }
    return true;
  }

  static std::vector<std::vector<Expr>> accesses(const Leaf& leaf, int tensor) {
    std::vector<std::vector<Expr>> found;
    if (leaf.define && leaf.define->tensor == tensor) found.push_back(leaf.define->index);
    for (const Expr& e : leaf.values)
      each_read(e, [&](const Read& r) {
        if (r.tensor == tensor) found.push_back(r.index);
      });
    return found;
  }
  static bool touches(const Leaf& leaf, int tensor) { return !accesses(leaf, tensor).empty(); }
  static bool filled(const Leaf& leaf, int tensor) {
    const auto is_filled = [&](const Read& r) { return r.tensor == tensor && r.fill; };
    return any_of(leaf.values, [&](const Expr& e) { return any_read(e, is_filled); });
  }

  const Kernel& k_;
  std::vector<Leaf> leaves_;
};

void rename_in(Tree& tree, int from, int to) {
  for (TreeNode& n : tree) {
    if (auto* l = std::get_if<TreeLoop>(&n.node)) {
      if (l->needed) l->needed = with_tensor(l->needed, from, to);
      rename_in(l->body, from, to);
    }
    if (auto* d = std::get_if<TreeDefine>(&n.node)) d->tensor = d->tensor == from ? to : d->tensor;
  }
}

}  // namespace

void reuse_outputs(const Kernel& k, LoopTree& tree) {
  const std::vector<TempPlace> places = place_temps(k, tree);
  for (size_t t = 0; t < k.tensors.size(); ++t) {
    if (k.tensors[t].role != Role::Temp || !places[t].stored) continue;
    const int output = Reuse(k, tree).output_for(static_cast<int>(t));
    if (output < 0) continue;
    const int temp = static_cast<int>(t);
    const auto renamed = [&](const Expr& e, const Ranges&) { return with_tensor(e, temp, output); };
    tree.body = changed_tree(tree.body, {}, renamed);
    rename_in(tree.body, temp, output);
  }
}

}  // namespace tenon
