// Plans the prefetches of loops over rows.

#include "lower/tree/tree_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

bool is_vector(const TreeLoop& l) { return l.shape.lanes > 1; }

bool has_loops(const Tree& t) {
  return any_of(t, [](const TreeNode& n) { return std::holds_alternative<TreeLoop>(n.node); });
}

/// The reads of a loop without loops inside.
std::vector<Read> reads_of(const TreeLoop& l) {
  std::vector<Read> out;
  const auto note = [&](const Expr& e) {
    if (e) each_read(e, [&](const Read& r) { out.push_back(r); });
  };
  for (const TreeNode& n : l.body) {
    if (const auto* d = std::get_if<TreeDefine>(&n.node)) note(d->value);
    if (const auto* a = std::get_if<TreeAccumulate>(&n.node)) {
      note(a->where);
      note(a->value);
    }
  }
  return out;
}

class RowPlanner {
 public:
  explicit RowPlanner(const Kernel& k) : k_(k) {}

  void plan(Tree& t) {
    for (TreeNode& n : t) {
      auto* l = std::get_if<TreeLoop>(&n.node);
      if (!l || is_vector(*l)) continue;
      const std::vector<TreeLoop*> passes = passes_of(*l);
      if (passes.size() > 1 && !l->ordered) plan_row(l->var.name, passes);
      plan(l->body);
    }
  }

 private:
  /// The vector loops directly below `row`, if all of its loops are such.
  static std::vector<TreeLoop*> passes_of(TreeLoop& row) {
    std::vector<TreeLoop*> passes;
    for (TreeNode& n : row.body) {
      auto* l = std::get_if<TreeLoop>(&n.node);
      if (!l) continue;
      if (!is_vector(*l) || has_loops(l->body) || l->begin || l->end) return {};
      passes.push_back(l);
    }
    return passes;
  }

  void plan_row(const std::string& row, const std::vector<TreeLoop*>& passes) {
    TreeLoop& last = *passes.back();
    std::vector<int> seen;
    for (TreeLoop* pass : passes) {
      pass->cached = seen;
      std::vector<int> here;
      for (const TreeNode& n : pass->body)
        if (const auto* d = std::get_if<TreeDefine>(&n.node)) here.push_back(d->tensor);
      for (const Read& r : reads_of(*pass)) {
        if (contains(seen, r.tensor) || contains(here, r.tensor)) continue;
        here.push_back(r.tensor);
        if (pass != &last) fetch_next(r, row, *pass, last);
      }
      append(seen, here);
    }
  }

  /// Adds the read, moved on by one row, to what `last` fetches: a line of the caller's tensor that the row's variable
  /// walks.
  void fetch_next(const Read& r, const std::string& row, const TreeLoop& pass, TreeLoop& last) const {
    const Tensor& t = k_.tensor(r.tensor);
    if (t.role == Role::Temp || r.fill || r.index.empty() || !same(pass.var.extent, last.var.extent)) return;
    if (!is_variable(r.index.back(), pass.var.name) || !is_one(t.strides.back())) return;
    if (none_of(r.index, [&](const Expr& e) { return is_variable(e, row); })) return;
    std::vector<Expr> index;
    for (const Expr& e : r.index)
      index.push_back(substitute(e, {{row, var_ref(row) + constant_int(1)}, {pass.var.name, var_ref(last.var.name)}}));
    last.next_row.push_back(read_of(r.tensor, t.dtype, index));
  }

  const Kernel& k_;
};

}  // namespace

void plan_prefetch(const Kernel& k, const Isa& isa, const Blueprints& blueprints, LoopTree& tree) {
  const Blueprint* map = blueprints.find("map", isa, DType::F32);
  if (isa.vector_bits > 0 && map && map->prefetch_bytes > 0) RowPlanner(k).plan(tree.body);
}

}  // namespace tenon
