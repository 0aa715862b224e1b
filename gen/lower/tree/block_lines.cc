// block-lines: a loop over rows, each of which has a line of its own, becomes one over blocks of rows with a loop for
// the lines and one for the reads of them.
#include <set>

#include "algebra/simplify.h"
#include "lower/kernel/kernel_passes.h"
#include "lower/tree/build_loops.h"
#include "lower/tree/loop_tree.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Rows of a block: enough that the first lines are in the cache when they are read, few enough to fit there.
constexpr int64_t kLines = 8;

using Index = std::vector<Expr>;

/// Blocks of a known number of rows are about equally high.
int64_t height_of(const Expr& rows) {
  const auto known = constant_value(rows);
  const int64_t blocks = known ? std::max<int64_t>(1, (*known + kLines - 1) / kLines) : 0;
  return known ? std::max<int64_t>(1, (*known + blocks - 1) / blocks) : kLines;
}

/// Adds the tensors that a tree assigns; false where it does anything else to one.
bool add_assigned(const Tree& tree, std::set<int>& out) {
  return all_of(tree, [&](const TreeNode& n) {
    if (const auto* l = std::get_if<TreeLoop>(&n.node)) return add_assigned(l->body, out);
    if (std::holds_alternative<TreeTranspose>(n.node)) return false;
    const auto* d = std::get_if<TreeDefine>(&n.node);
    if (d) out.insert(d->tensor);
    return !d || (d->update == Update::Assign && !d->where);
  });
}

/// False where a read may be outside of the tensor.
bool collect_reads(const Tree& tree, int tensor, std::vector<Index>& out) {
  bool inside = true;
  each_value(tree, [&](const Expr& e) {
    each_read(e, [&](const Read& r) {
      if (r.tensor == tensor) out.push_back(r.index), inside = inside && !r.fill;
    });
  });
  return inside;
}

void collect_defines(const Tree& tree, int tensor, std::vector<Index>& out) {
  for (const TreeNode& n : tree) {
    if (const auto* l = std::get_if<TreeLoop>(&n.node)) collect_defines(l->body, tensor, out);
    const auto* d = std::get_if<TreeDefine>(&n.node);
    if (d && d->tensor == tensor) out.push_back(d->index);
  }
}

/// Whether the index is that of a window: neither a variable, whose line is read where it was written, nor looked up.
bool slides(const Expr& index) {
  bool ok = !std::holds_alternative<VarRef>(index->node);
  each_read(index, [&](const Read&) { ok = false; });
  return ok;
}

/// What the loop stores to the temp; null where that is nothing, or not its own iteration's.
const TreeDefine* part_of_line(const TreeLoop& l, int line) {
  const auto part = find_if(l.body, [&](const TreeNode& n) {
    const auto* d = std::get_if<TreeDefine>(&n.node);
    return d && d->tensor == line;
  });
  return part == l.body.end() || l.begin || l.end ? nullptr : &std::get<TreeDefine>(part->node);
}

/// Whether the loops store one part of a line each, one after the other.
bool goes_along_line(const Tree& loops, int line) {
  Expr next;
  return all_of(loops, [&](const TreeNode& n) {
    const auto* l = std::get_if<TreeLoop>(&n.node);
    const TreeDefine* part = l ? part_of_line(*l, line) : nullptr;
    const auto at = part ? affine_in(part->index.back(), l->var.name) : std::nullopt;
    if (!at || !is_one(simplify(at->coefficient))) return false;
    const bool follows = !next || constant_difference(at->rest, next) == 0;
    next = simplify(at->rest + l->var.extent);
    return follows;
  });
}

bool is_loop(const TreeNode& n) { return std::holds_alternative<TreeLoop>(n.node); }

/// Accumulators begin and end in nodes that belong together.
bool is_loop_or_define(const TreeNode& n) { return is_loop(n) || std::holds_alternative<TreeDefine>(n.node); }

class LineBlocker {
 public:
  LineBlocker(Kernel& k, LoopTree& tree, bool vectors) : k_(k), tree_(tree), vectors_(vectors) {}

  /// Whether it depends on `vectors`.
  bool run(Tree& tree) {
    bool depends = false;
    for (TreeNode& n : tree) {
      auto* l = std::get_if<TreeLoop>(&n.node);
      if (!l) continue;
      const int line = line_of(*l);
      const bool known = line >= 0 && constant_value(l->var.extent).has_value();
      if (line >= 0 && (vectors_ || !known)) n.node = blocks(*l, line);
      else if (run(l->body)) depends = true;
      depends = depends || known;
    }
    return depends;
  }

 private:
  /// The temp whose line each iteration puts together in its first loops and the others read by windows; -1: none.
  int line_of(const TreeLoop& rows) {
    if (rows.ordered || rows.carried || rows.begin || rows.end) return -1;
    const bool known = constant_value(rows.var.extent).has_value();  // padding of one element is no loop then
    if (rows.body.size() < 3 || !all_of(rows.body, known ? is_loop_or_define : is_loop)) return -1;
    std::set<int> made, results;
    cut_ = 0;
    for (std::set<int> next; cut_ < rows.body.size() && add_assigned({rows.body[cut_]}, next) && next.size() == 1;
         ++cut_)
      made = next;
    const auto cut = rows.body.begin() + static_cast<std::ptrdiff_t>(cut_);
    const Tree lines(rows.body.begin(), cut), rest(cut, rows.body.end());
    if (made.size() != 1 || rest.empty() || !add_assigned(rest, results)) return -1;
    const int line = *made.begin();
    if (results.count(line) || k_.tensor(line).role != Role::Temp) return -1;
    std::vector<Index> used;
    for (const int r : results) collect_reads(lines, r, used);
    if (!used.empty()) return -1;
    if (!collect_reads(tree_.body, line, used) || used.empty() ||
        !all_of(used, [](const Index& i) { return slides(i.back()); }))
      return -1;
    collect_defines(tree_.body, line, used);
    for (dim_ = 0; dim_ + 1 < used.front().size(); ++dim_)
      if (all_of(used, [&](const Index& i) { return is_variable(i[dim_], rows.var.name); })) return line;
    return -1;
  }

  TreeLoop blocks(const TreeLoop& rows, int line) {
    const std::string &row = rows.var.name, letter = letter_of(row);
    const Expr height = height_ = constant_int(height_of(rows.var.extent));
    TreeLoop out;
    out.var = {letter + "_block" + row.substr(letter.size()),
               simplify(apply(ScalarOp::FloorDiv, {rows.var.extent + height - constant_int(1), height}))};
    const Tensor of = k_.tensor(line);
    Index dims = of.dims;
    dims[dim_] = out.var.extent;
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(dim_) + 1, height);
    from_ = line;
    to_ = add_temp(k_, of.name + "s", of.dtype, dims);
    block_ = var_ref(out.var.name);
    TreeLoop half = rows;
    half.begin = simplify(block_ * height);
    half.end = simplify(apply(ScalarOp::Min, {half.begin + height, rows.var.extent}));
    TreeLoop results = half;
    half.body.erase(half.body.begin() + static_cast<std::ptrdiff_t>(cut_), half.body.end());
    results.body.erase(results.body.begin(), results.body.begin() + static_cast<std::ptrdiff_t>(cut_));
    half.var.name += "_lines";
    half.body = changed_tree(half.body, {}, [&](const Expr& e, const Ranges&) {
      return substitute(e, {{row, var_ref(half.var.name)}});
    });
    for (TreeLoop* l : {&half, &results}) {
      move_to_blocks(l->body);
      if (l == &half && goes_along_line(half.body, to_)) tree_.lines.push_back(to_);
      out.body.push_back({std::move(*l)});
    }
    return out;
  }

  /// line[…, y, …] becomes lines[…, block, y - first row of the block, …].
  void move_to_blocks(Tree& tree) const {
    tree = changed_tree(tree, {}, [&](const Expr& e, const Ranges&) { return moved(e); });
    move_defines(tree);
  }

  void move_defines(Tree& tree) const {
    for (TreeNode& n : tree) {
      if (auto* l = std::get_if<TreeLoop>(&n.node)) move_defines(l->body);
      auto* d = std::get_if<TreeDefine>(&n.node);
      if (d && d->tensor == from_) d->tensor = to_, d->index = in_block(d->index);
    }
  }

  Expr moved(const Expr& e) const {
    const Expr x = map_children(e, [&](const Expr& c) { return moved(c); });
    const auto* read = std::get_if<Read>(&x->node);
    return read && read->tensor == from_ ? read_of(to_, x->type, in_block(read->index)) : x;
  }

  Index in_block(Index index) const {
    const Expr row = index[dim_];
    index[dim_] = block_;
    index.insert(index.begin() + static_cast<std::ptrdiff_t>(dim_) + 1, row - block_ * height_);
    return index;
  }

  Kernel& k_;
  LoopTree& tree_;
  bool vectors_;
  size_t dim_ = 0;  ///< of the temp, that the rows walk
  size_t cut_ = 0;  ///< loops that put the line together
  int from_ = -1, to_ = -1;
  Expr block_, height_;
};

}  // namespace

bool block_lines(Kernel& k, LoopTree& tree, bool vectors) { return LineBlocker(k, tree, vectors).run(tree.body); }

}  // namespace tenon
