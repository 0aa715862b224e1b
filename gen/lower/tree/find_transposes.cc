// Recognising transposes: a perfect nest around one copy, whose source and target are dense along different loops.
// Where lines of the target have few elements, and those of the source follow each other, one loop over both takes
// elements of a few runs in turns.
#include <algorithm>

#include "algebra/simplify.h"
#include "lower/kernel/kernel_ranges.h"
#include "lower/tree/tree_passes.h"

namespace tenon {
namespace {

/// Tiles larger than this in either direction no longer fit the registers.
constexpr int kLargestTile = 16;

struct CopyNest {
  std::vector<TreeLoop> loops;  ///< without bodies
  TreeDefine copy;
};

std::optional<CopyNest> copy_nest(const TreeLoop& outermost) {
  CopyNest n;
  const TreeLoop* l = &outermost;
  while (l) {
    if (l->ordered || l->body.size() != 1) return std::nullopt;
    TreeLoop bare = *l;
    bare.body.clear();
    n.loops.push_back(bare);
    if (const auto* d = std::get_if<TreeDefine>(&l->body[0].node)) {
      n.copy = *d;
      return n;
    }
    l = std::get_if<TreeLoop>(&l->body[0].node);
  }
  return std::nullopt;
}

/// Null if it depends on the element.
Expr step_along(const Tensor& t, const std::vector<Expr>& index, const std::string& var, const Ranges& ranges) {
  Expr total = constant_int(0);
  for (size_t d = 0; d < index.size(); ++d) {
    const auto a = affine_in(index[d], var);
    if (!a) return nullptr;
    if (!is_zero(a->coefficient)) total = total + a->coefficient * t.strides[d];
  }
  return simplify(total, ranges);
}

std::optional<int64_t> stride_along(const Tensor& t, const std::vector<Expr>& index, const std::string& var,
                                    const Ranges& ranges) {
  const Expr step = step_along(t, index, var, ranges);
  return step ? constant_value(step) : std::nullopt;
}

/// The loop along which consecutive elements are adjacent; -1 if there is none.
int dense_loop(const CopyNest& n, const Tensor& t, const std::vector<Expr>& index, const Ranges& ranges) {
  for (size_t i = 0; i < n.loops.size(); ++i)
    if (stride_along(t, index, n.loops[i].var.name, ranges) == 1) return static_cast<int>(i);
  return -1;
}

std::optional<TreeLoop> as_transpose(const Kernel& k, const Isa& isa, const TreeLoop& outermost, const Ranges& ranges) {
  auto n = copy_nest(outermost);
  if (!n || n->copy.update != Update::Assign) return std::nullopt;
  const auto* read = std::get_if<Read>(&n->copy.value->node);
  const Tensor& target = k.tensor(n->copy.tensor);
  if (!read || read->fill || read->tensor == n->copy.tensor || target.role != Role::Output || is_complex(target.dtype))
    return std::nullopt;
  const int across = dense_loop(*n, target, n->copy.index, ranges);
  const int down = dense_loop(*n, k.tensor(read->tensor), read->index, ranges);
  if (across < 0 || down < 0 || across == down) return std::nullopt;
  const std::string& written = n->loops[static_cast<size_t>(across)].var.name;
  if (stride_along(k.tensor(read->tensor), read->index, written, ranges) == 0)
    return std::nullopt;  // lines of one value
  const auto edge_of = [&](int loop) {
    return constant_value(n->loops[static_cast<size_t>(loop)].var.extent).value_or(kLargestTile);
  };
  int edge = std::min(kLargestTile, isa.lanes(target.dtype));
  while (edge > 2 && (edge > edge_of(across) || edge > edge_of(down))) edge /= 2;
  if (edge < 4) return std::nullopt;
  const LoopVar& outer = n->loops[static_cast<size_t>(down)].var;
  TreeNode inside{TreeTranspose{outer, n->loops[static_cast<size_t>(across)].var, n->copy, edge,
                                step_along(k.tensor(read->tensor), read->index, written, ranges),
                                step_along(target, n->copy.index, outer.name, ranges)}};
  for (size_t i = n->loops.size(); i-- > 0;) {
    if (static_cast<int>(i) == across || static_cast<int>(i) == down) continue;
    TreeLoop l = n->loops[i];
    l.body = {std::move(inside)};
    inside = {std::move(l)};
  }
  TreeLoop once;
  once.body = {std::move(inside)};
  return once;
}

/// One loop over lines `down` and the `across` elements of each: the innermost of the nest.
std::optional<TreeLoop> as_turns(const Kernel& k, const TreeLoop& outermost, const Ranges& ranges) {
  constexpr int64_t kMost = 4;
  auto n = copy_nest(outermost);
  const auto* read = n && n->copy.update == Update::Assign ? std::get_if<Read>(&n->copy.value->node) : nullptr;
  if (!read || read->fill || n->copy.where) return std::nullopt;
  const Tensor& target = k.tensor(n->copy.tensor);
  const int across = dense_loop(*n, target, n->copy.index, ranges),
            down = dense_loop(*n, k.tensor(read->tensor), read->index, ranges);
  if (across < 0 || down < 0 || across == down || target.role != Role::Output) return std::nullopt;
  const LoopVar within = n->loops[static_cast<size_t>(across)].var;
  TreeLoop line = n->loops[static_cast<size_t>(down)];
  const auto runs = constant_value(within.extent);
  if (!runs || (*runs != 2 && *runs != kMost) || line.begin || line.end) return std::nullopt;
  std::vector<Expr>& index = n->copy.index;
  const Expr by = constant_int(*runs), at = var_ref(line.var.name);
  bool joined = false;
  for (size_t d = 1; d < index.size(); ++d) {
    if (!is_variable(index[d], within.name) || !is_variable(index[d - 1], line.var.name)) continue;
    joined = same(simplify(target.strides[d - 1]), simplify(target.strides[d] * by));
    index[d - 1] = constant_int(0), index[d] = at;
  }
  if (!joined || stride_along(k.tensor(read->tensor), read->index, within.name, ranges) == 0) return std::nullopt;
  n->copy.value = simplify(substitute(n->copy.value, {{line.var.name, apply(ScalarOp::FloorDiv, {at, by})},
                                                      {within.name, apply(ScalarOp::Mod, {at, by})}}),
                           ranges);
  line.var.extent = simplify(line.var.extent * by);
  line.body = {TreeNode{n->copy}};
  for (size_t i = n->loops.size(); i-- > 0;) {
    if (static_cast<int>(i) == across || static_cast<int>(i) == down) continue;
    TreeLoop outer = n->loops[i];
    outer.body = {TreeNode{std::move(line)}};
    line = std::move(outer);
  }
  return line;
}

}  // namespace

void find_transposes(const Kernel& k, const Isa& isa, LoopTree& tree) {
  if (isa.vector_bits == 0) return;
  const Ranges ranges = size_ranges(k);
  for (TreeNode& n : tree.body) {
    const auto* l = std::get_if<TreeLoop>(&n.node);
    if (!l) continue;
    if (auto t = as_transpose(k, isa, *l, ranges)) n = std::move(t->body[0]);
    else if (auto turns = as_turns(k, *l, ranges)) n = TreeNode(std::move(*turns));
  }
}

}  // namespace tenon
