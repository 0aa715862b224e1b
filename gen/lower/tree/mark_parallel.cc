// Finds parallel loops: those at the root whose results are all indexed by their variable.
#include <functional>

#include "algebra/linear.h"
#include "algebra/simplify.h"
#include "lower/tree/place_temps.h"
#include "lower/tree/tree_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Iterations of an inner loop that are worth sharing; fewer may become plain statements.
constexpr int64_t kWorthSharing = 16;
/// Elements per block: enough that handing it to a worker costs little in comparison.
constexpr int64_t kBlock = 8192;

using Index = std::vector<Expr>;

/// How far the index is from the variable, where no loop changes that.
Expr distance(const Expr& index, const std::string& var) {
  const auto a = affine_in(index, var);
  const bool fixed = a && constant_value(a->coefficient) == 1 && !has_node<VarRef>(a->rest) && !has_node<Read>(a->rest);
  return fixed ? simplify(a->rest) : nullptr;
}

/// Whether the index is one of a block of each iteration's own: n·var + inner, where a loop inside goes up to n.
bool in_block(const Expr& index, const std::string& var, const std::vector<LoopVar>& inner) {
  const auto a = affine_in(index, var);
  const auto block = a ? constant_value(simplify(a->coefficient)) : std::nullopt;
  if (!block) return false;
  const Expr rest = simplify(a->rest);
  return any_of(inner, [&](const LoopVar& v) {
    return is_variable(rest, v.name) && constant_value(v.extent).value_or(*block + 1) <= *block;
  });
}

/// Whether each iteration of `var` has elements of its own: in one dim, all indices are as far from it.
bool apart(const std::vector<Index>& all, const std::string& var) {
  for (size_t dim = 0; !all.empty() && dim < all[0].size(); ++dim) {
    const Expr first = distance(all[0][dim], var);
    const auto as_first = [&](const Index& i) {
      const Expr d = distance(i[dim], var);
      return d && same(d, first);
    };
    if (first && all_of(all, as_first)) return true;
  }
  return false;
}

/// The accesses to one tensor in a tree.
struct IndicesOf {
  int tensor = -1;
  bool reads = true;  ///< not only what stores to it
  std::vector<Index> found = {};

  void add(const Expr& e) {
    if (e && reads)
      each_read(e, [&](const Read& r) {
        if (r.tensor == tensor) found.push_back(r.index);
      });
  }

  void add(const Tree& tree) {
    for (const TreeNode& n : tree) {
      if (const auto* l = std::get_if<TreeLoop>(&n.node)) add(l->body);
      const auto* t = std::get_if<TreeTranspose>(&n.node);
      if (const auto* d = t ? &t->copy : std::get_if<TreeDefine>(&n.node)) {
        if (d->tensor == tensor) found.push_back(d->index);
        for (const Expr& e : d->index) add(e);
        add(d->value);
      }
      if (const auto* a = std::get_if<TreeAccumulate>(&n.node)) add(a->where), add(a->value);
    }
  }
};

/// Whether each iteration of `var` has the loop go over a block of its own: from n·var to at most n·var + n.
bool goes_over_block(const TreeLoop& l, const std::string& var) {
  const auto from = l.begin ? affine_in(l.begin, var) : std::nullopt;
  const Apply* end = from && l.end ? as_apply(l.end, ScalarOp::Min) : nullptr;
  if (!end) return false;
  const Expr next = l.begin + from->coefficient;
  return any_of(end->args, [&](const Expr& bound) { return constant_difference(bound, next) == 0; });
}

/// Parallel loops of one kernel.
class ParallelLoops {
 public:
  ParallelLoops(const Kernel& k, const LoopTree& tree) : k_(k), places_(place_temps(k, tree)) {}

  bool independent(const TreeLoop& loop) const { return independent(loop, loop.body, {}); }

 private:
  /// What is inside of a loop and around a part of its body.
  struct Inside {
    std::string rows;            ///< a variable that has other values in each iteration of the loop, if there is one
    std::vector<LoopVar> loops;  ///< those that begin at 0
  };

  bool independent(const TreeLoop& loop, const Tree& body, const Inside& inside) const {
    return std::all_of(body.begin(), body.end(), [&](const TreeNode& n) {
      if (const auto* l = std::get_if<TreeLoop>(&n.node)) {
        Inside next = inside;
        if (goes_over_block(*l, loop.var.name)) next.rows = l->var.name;
        if (!l->begin) next.loops.push_back(l->var);
        return independent(loop, l->body, next);
      }
      const auto* t = std::get_if<TreeTranspose>(&n.node);
      const auto* d = t ? &t->copy : std::get_if<TreeDefine>(&n.node);
      if (!d || !places_[static_cast<size_t>(d->tensor)].stored) return true;
      // a temporary used by other loops too is in shared memory
      const bool result = k_.tensor(d->tensor).role == Role::Output;
      IndicesOf all{d->tensor, !result};
      all.add(loop.body);
      if (apart(all.found, loop.var.name) || (result && apart({d->index}, inside.rows))) return true;
      const auto own = [&](const Expr& i) { return in_block(i, loop.var.name, inside.loops); };
      return result && all.found.size() == 1 && any_of(d->index, own);
    });
  }

  const Kernel& k_;
  const std::vector<TempPlace> places_;
};

/// The extent at the upper bounds of the kernel's sizes; nothing where one has none, as in a library.
std::optional<int64_t> highest_extent(const Kernel& k, const Expr& extent) {
  const std::function<Expr(const Expr&)> bounded = [&](const Expr& e) -> Expr {
    const auto* s = std::get_if<SizeRef>(&e->node);
    if (!s) return map_children(e, bounded);
    const Size* size = find_pointer(k.sizes, [&](const Size& known) { return known.name == s->name; });
    return size && size->hi != INT64_MAX ? constant_int(size->hi) : e;
  };
  return constant_value(simplify(bounded(extent)));
}

/// for block < ceil(N/elements): for i from block·elements to the lesser of N and the next block
TreeLoop blocked(TreeLoop l, int64_t elements) {
  const Expr size = constant_int(elements), block = var_ref("block.0");
  TreeLoop outer;
  outer.var = {"block.0", simplify(apply(ScalarOp::FloorDiv,
                                         {l.var.extent + constant_int(elements - 1), constant_int(elements)}))};
  l.begin = block * size;
  l.end = apply(ScalarOp::Min, {l.var.extent, l.begin + size});
  outer.body.push_back({std::move(l)});
  return outer;
}

/// Whether the lines that a loop goes over, each in pieces, divide indices by what only run time knows: that is done
/// before the loop, not between two that are shared as one.
bool divides_before_lines(const TreeLoop& rows) {
  const auto* line = rows.body.empty() ? nullptr : std::get_if<TreeLoop>(&rows.body[0].node);
  if (!line || (rows.body.size() == 1 && !line->periods && !rows.periods)) return false;
  bool divides = false;
  each_value(rows.body, [&](const Expr& e) {
    divides = divides || any_node(e, [&](const Expr& x) {
                const Apply* a = as_apply(x, ScalarOp::Mod);
                return a && !constant_value(a->args[1]) && !mentions(x, line->var.name);
              });
  });
  return divides;
}

/// Marks the loop, and where only run time knows how often it runs, perhaps once, the one alone inside of it.
void mark(const ParallelLoops& loops, TreeLoop& l) {
  l.parallel = true;
  if (constant_value(l.var.extent) || l.body.size() != 1) return;
  auto* inner = std::get_if<TreeLoop>(&l.body[0].node);
  if (!inner || inner->ordered || inner->begin || inner->shape.lanes * inner->shape.parts > 1) return;
  if (divides_before_lines(*inner)) return;
  if (constant_value(inner->var.extent).value_or(kWorthSharing) >= kWorthSharing && loops.independent(*inner))
    mark(loops, *inner);
}

}  // namespace

void mark_parallel(const Kernel& k, LoopTree& tree) {
  const ParallelLoops loops(k, tree);
  for (TreeNode& n : tree.body) {
    auto* l = std::get_if<TreeLoop>(&n.node);
    if (!l || l->ordered || l->begin || !loops.independent(*l)) continue;
    if (l->shape.lanes * l->shape.parts > 1) {
      const int64_t block = l->shape.lanes == 1 ? l->shape.parts : kBlock;  // rows side by side are long
      if (highest_extent(k, l->var.extent).value_or(0) < 2 * block) continue;
      *l = blocked(*l, block);
    }
    mark(loops, *l);
  }
}

}  // namespace tenon
