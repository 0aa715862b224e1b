// Blocks sums and any/all reductions: one loop becomes a loop over blocks with a separate accumulator inside.
#include <map>

#include "algebra/simplify.h"
#include "lower/kernel/kernel_ranges.h"
#include "lower/kernel/variants.h"
#include "lower/tree/tree_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Elements that one accumulator adds in a block: the relative error of such a sum is about 1e-6 in f32.
constexpr int64_t kAdditions = 64;
/// Blocks of any/all reductions: skipping an unneeded block takes about ten instructions.
constexpr int64_t kQuestions = 256;
/// A sum of a known length gets blocks if an accumulator adds more than this. Networks have few such.
constexpr int64_t kManyAdditions = 1024;

Expr smaller(Expr a, Expr b) { return apply(ScalarOp::Min, {std::move(a), std::move(b)}); }

class Blocks {
 public:
  Blocks(const Kernel& k, LoopTree& tree) : tree_(tree), ranges_(size_ranges(k)) {
    count_additions(tree.body);
    for (const Expr& f : k.facts) append(facts_, conjuncts(f));
  }

  void split(Tree& t) {
    for (TreeNode& n : t) {
      auto* l = std::get_if<TreeLoop>(&n.node);
      if (!l) continue;
      const std::vector<int> sums = long_reductions(t, *l);
      const std::string var = l->var.name;
      ranges_.extents[var] = l->var.extent;
      const bool outer = in_lanes_;
      in_lanes_ = in_lanes_ || l->shape.lanes * l->shape.parts > 1;
      if (sums.empty()) split(l->body);
      else n.node = blocked(t, *l, sums);
      in_lanes_ = outer;
      ranges_.extents.erase(var);
    }
  }

 private:
  /// A floating-point sum of one loop, or a reduction that one element may decide: without lanes its loop ends there.
  bool has_blocks(int a, const TreeLoop& l) const {
    const Accumulator& acc = tree_.accumulators[static_cast<size_t>(a)];
    const bool sum = acc.op == Reducer::Sum && is_float(acc.type);
    const bool lanes = l.shape.lanes * l.shape.parts > 1;
    const bool question = is_question(acc.op) && l.body.size() == 1 &&
                          (lanes ? proves_le(constant_int(kLongQuestion), l.var.extent, ranges_) : in_lanes_);
    return (sum || question) && additions_.at(a) == 1;
  }

  void count_additions(const Tree& t) {
    for (const TreeNode& n : t) {
      if (const auto* a = std::get_if<TreeAccumulate>(&n.node)) ++additions_[a->accumulator];
      if (const auto* l = std::get_if<TreeLoop>(&n.node)) count_additions(l->body);
    }
  }

  /// The sums and any/all reductions of loop `l` to be blocked: those that begin next to it, or in its lanes. (Those
  /// that begin further out have another loop around `l`: windows, whose rows are short.)
  std::vector<int> long_reductions(const Tree& around, const TreeLoop& l) const {
    std::vector<int> sums;
    const bool has_loops = any_of(l.body, [](const TreeNode& n) { return std::holds_alternative<TreeLoop>(n.node); });
    const int64_t together = int64_t{l.shape.lanes} * l.shape.parts;
    if (has_loops || l.ordered || l.carried || l.parallel || is_short(l, together)) return sums;
    for (const TreeNode& n : l.body) {
      const auto* a = std::get_if<TreeAccumulate>(&n.node);
      if (a && has_blocks(a->accumulator, l) && (l.shape.lanes > 1 || begins(around, a->accumulator)))
        sums.push_back(a->accumulator);
    }
    return sums;
  }

  bool is_short(const TreeLoop& l, int64_t together) const {
    const int64_t most = kManyAdditions * together;
    return piece_of(l).value_or(INT64_MAX) <= most || proves_le(l.var.extent, constant_int(most), ranges_) ||
           any_of(facts_, [&](const Expr& f) {
             const auto* a = std::get_if<Apply>(&f->node);
             return a && a->op == ScalarOp::Le && same(a->args[0], l.var.extent) &&
                    constant_value(a->args[1]).value_or(INT64_MAX) <= most;
           });
  }

  static bool begins(const Tree& t, int accumulator) {
    return any_of(t, [&](const TreeNode& n) {
      const auto* b = std::get_if<TreeBegin>(&n.node);
      return b && b->accumulator == accumulator;
    });
  }

  TreeLoop blocked(const Tree& around, const TreeLoop& l, const std::vector<int>& sums) {
    const Expr begin = l.begin ? l.begin : constant_int(0), end = l.end ? l.end : l.var.extent;
    const Reducer op = tree_.accumulators[static_cast<size_t>(sums.front())].op;
    const int64_t steps = is_question(op) ? kQuestions : kAdditions;
    const Expr elements = constant_int(steps * l.shape.lanes * l.shape.parts);
    TreeLoop outer, inner = l;
    outer.var = {letter_of(l.var.name) + "_block." + std::to_string(++blocks_),
                 apply(ScalarOp::FloorDiv, {end - begin + elements - constant_int(1), elements})};
    const Expr at = begin + var_ref(outer.var.name) * elements;
    std::swap(outer.needed, inner.needed);
    inner.begin = simplify(at, ranges_);
    inner.end = simplify(smaller(at + elements, end), ranges_);
    std::map<int, int> block_of;
    for (const int total : sums) {
      block_of[total] = block_accumulator(total);
      outer.body.push_back({TreeBegin{block_of[total]}});
    }
    for (TreeNode& n : inner.body) {
      auto* a = std::get_if<TreeAccumulate>(&n.node);
      if (a && block_of.count(a->accumulator) != 0) a->accumulator = block_of[a->accumulator];
    }
    // one element decides: a skipped block adds false to any, true to all
    const Expr so_far = running_ref(accumulator_name(sums.front()), DType::Bool);
    if (is_question(op)) inner.needed = op == Reducer::All ? so_far : apply(ScalarOp::Not, {so_far});
    outer.body.push_back({std::move(inner)});
    for (const auto& [total, block] : block_of) {
      const Accumulator& acc = tree_.accumulators[static_cast<size_t>(total)];
      // If an outer loop accumulates too, the total already includes earlier rows at the first block.
      const Expr added_before = acc.compensated && begins(around, total) ? var_ref(outer.var.name) : nullptr;
      outer.body.push_back({TreeEnd{block}});
      outer.body.push_back(
          {TreeAccumulate{total, nullptr, running_ref(accumulator_name(block), acc.type), added_before}});
    }
    return outer;
  }

  /// An accumulator for a block, in the lanes that `total` had; `total` is one number from now on.
  int block_accumulator(int total) {
    Accumulator block = tree_.accumulators[static_cast<size_t>(total)];
    block.name += "_block";
    tree_.accumulators.push_back(block);
    tree_.accumulators[static_cast<size_t>(total)].split = {};
    tree_.accumulators[static_cast<size_t>(total)].compensated = block.op == Reducer::Sum;
    return static_cast<int>(tree_.accumulators.size()) - 1;
  }

  LoopTree& tree_;
  Ranges ranges_;
  std::vector<Expr> facts_;
  std::map<int, int> additions_;  ///< of each accumulator: in how many places it is added to
  int blocks_ = 0;
  bool in_lanes_ = false;  ///< of a vector loop around the one at hand
};

}  // namespace

void block_sums(const Kernel& k, LoopTree& tree) { Blocks(k, tree).split(tree.body); }

}  // namespace tenon
