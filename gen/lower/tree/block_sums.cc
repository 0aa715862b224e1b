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
/// What a loop inside of lanes adds if only run time knows its length: its blocks would be those of one lane.
constexpr int64_t kFewAdditions = 16;
/// Loops around each other of which a sum may have that many: repetitions along each of many dims are few.
constexpr int kDeep = 3;
/// Blocks of any/all reductions: skipping an unneeded block takes about ten instructions.
constexpr int64_t kQuestions = 256;
/// A sum of a known length gets blocks if an accumulator adds more than this. Networks have few such.
constexpr int64_t kManyAdditions = 1024;

Expr smaller(Expr a, Expr b) { return apply(ScalarOp::Min, {std::move(a), std::move(b)}); }

class Blocks {
 public:
  Blocks(const Kernel& k, LoopTree& tree) : k_(k), tree_(tree), ranges_(size_ranges(k)) {
    count_additions(tree.body);
    for (const Expr& f : k.facts) append(facts_, conjuncts(f));
  }

  void split(Tree& t) {
    for (TreeNode& n : t) {
      if (const auto* b = std::get_if<TreeBegin>(&n.node)) begun_at_[b->accumulator] = depth_;
      auto* l = std::get_if<TreeLoop>(&n.node);
      if (!l) continue;
      const std::string var = l->var.name;
      ranges_.extents[var] = l->var.extent;
      const bool outer = in_lanes_, outer_rows = in_rows_;
      in_lanes_ = in_lanes_ || together(*l) > 1;
      in_rows_ = in_rows_ || l->rows > 1;
      ++depth_;
      split(l->body);
      if (const std::map<int, int64_t> sums = long_reductions(t, *l, outer); !sums.empty())
        n.node = blocked(t, *l, sums);
      --depth_;
      in_lanes_ = outer;
      in_rows_ = outer_rows;
      ranges_.extents.erase(var);
    }
  }

 private:
  static int64_t together(const TreeLoop& l) { return int64_t{l.shape.lanes} * l.shape.parts; }

  /// A reduction of one loop that one element may decide: without lanes its loop ends there.
  bool is_long_question(int a, const TreeLoop& l) const {
    return is_question(tree_.accumulators[static_cast<size_t>(a)].op) && l.body.size() == 1 &&
           (together(l) > 1 ? proves_le(constant_int(kLongQuestion), l.var.extent, ranges_) : in_lanes_);
  }

  /// A floating-point sum that has no blocks yet.
  bool is_plain_sum(int a) const {
    const Accumulator& acc = tree_.accumulators[static_cast<size_t>(a)];
    return acc.op == Reducer::Sum && is_float(acc.type) && !acc.compensated;
  }

  void count_additions(const Tree& t) {
    for (const TreeNode& n : t) {
      if (const auto* a = std::get_if<TreeAccumulate>(&n.node)) ++additions_[a->accumulator];
      if (const auto* l = std::get_if<TreeLoop>(&n.node)) count_additions(l->body);
    }
  }

  /// The sums and any/all reductions of loop `l` to be blocked, and the number of additions to each in an iteration.
  std::map<int, int64_t> long_reductions(const Tree& around, const TreeLoop& l, bool within_lanes) const {
    std::map<int, int64_t> found;
    if (l.ordered || l.carried) return found;
    const bool has_loops = any_of(l.body, [](const TreeNode& n) { return std::holds_alternative<TreeLoop>(n.node); });
    for (const TreeNode& n : l.body) {
      const auto* a = std::get_if<TreeAccumulate>(&n.node);
      if (!a || additions_.at(a->accumulator) != 1 || has_loops || l.parallel || is_short(l, 1)) continue;
      if ((is_plain_sum(a->accumulator) || is_long_question(a->accumulator, l)) &&
          (l.shape.lanes > 1 || begins(around, a->accumulator)))
        found[a->accumulator] = 1;
    }
    if (found.empty() && !within_lanes) collect_nested(l, l.body, 1, found);
    return found;
  }

  /// The sums over several loops that iterations of `l` add to, in the part `t` of its body that has `most` iterations
  /// for each. Loops inside that are known to be short are part of one; those that are not have blocks of their own.
  void collect_nested(const TreeLoop& l, const Tree& t, int64_t most, std::map<int, int64_t>& found) const {
    for (const TreeNode& n : t) {
      if (const auto* inner = std::get_if<TreeLoop>(&n.node)) {
        const auto extent = constant_value(inner->var.extent);
        if (!extent && together(l) == 1) continue;  // a window, or one that has blocks
        const int64_t each = extent ? (*extent + together(*inner) - 1) / together(*inner) : kFewAdditions;
        const int64_t count = std::max<int64_t>(each, 1) * most;
        if (count <= kManyAdditions) collect_nested(l, inner->body, count, found);
      }
      const auto* a = std::get_if<TreeAccumulate>(&n.node);
      if (!a || !is_plain_sum(a->accumulator) || begins_in(l.body, a->accumulator)) continue;
      const int loops = depth_ - begun_at_.at(a->accumulator);
      if (additions_.at(a->accumulator) == 1 && loops <= kDeep && !is_short(l, most) && is_of_data(l.var.extent) &&
          goes_through(*a, l.var.name))
        found[a->accumulator] = most;
    }
  }

  /// Whether a dim of an operand has the extent, or several together. Windows that attributes state are short.
  bool is_of_data(const Expr& extent) const {
    std::vector<Expr> factors;
    collect_factors(extent, factors);
    return all_of(factors, [&](const Expr& f) {
      return constant_value(f) || any_of(k_.tensors, [&](const Tensor& t) {
               return t.role == Role::Input && any_of(t.dims, [&](const Expr& d) { return same(d, f); });
             });
    });
  }

  /// Whether the loop walks along a dim of what it reads. Others walk along a window at the place of another loop, or
  /// compute places in floats, as those of interpolation do: windows are short.
  static bool goes_through(const TreeAccumulate& a, const std::string& var) {
    bool through = false, others = false;
    each_read(a.value, [&](const Read& r) {
      for (const Expr& index : r.index) {
        const bool by_data = has_node<Read>(index);
        if (is_variable(index, var)) through = true;
        else if (mentions(index, var))
          others = others || !by_data || any_node(index, [](const Expr& e) { return is_float(e->type); });
      }
    });
    return through && !others;
  }

  /// Whether no accumulator adds too many, if `each` in every iteration.
  bool is_short(const TreeLoop& l, int64_t each) const {
    const int64_t most = kManyAdditions * together(l) / each;
    return piece_of(l).value_or(INT64_MAX) <= most || proves_le(l.var.extent, constant_int(most), ranges_) ||
           any_of(facts_, [&](const Expr& f) {
             const auto* a = std::get_if<Apply>(&f->node);
             return a && a->op == ScalarOp::Le && same(a->args[0], l.var.extent) &&
                    constant_value(a->args[1]).value_or(INT64_MAX) <= most;
           });
  }

  static bool begins_in(const Tree& t, int accumulator) {
    return begins(t, accumulator) || any_of(t, [&](const TreeNode& n) {
             const auto* l = std::get_if<TreeLoop>(&n.node);
             return l && begins_in(l->body, accumulator);
           });
  }

  static bool begins(const Tree& t, int accumulator) {
    return any_of(t, [&](const TreeNode& n) {
      const auto* b = std::get_if<TreeBegin>(&n.node);
      return b && b->accumulator == accumulator;
    });
  }

  TreeLoop blocked(const Tree& around, const TreeLoop& l, const std::map<int, int64_t>& sums) {
    const int first = sums.begin()->first;
    const Reducer op = tree_.accumulators[static_cast<size_t>(first)].op;
    int64_t each = 1;
    for (const auto& [total, count] : sums) each = std::max(each, count);
    const int64_t elements = (is_question(op) ? kQuestions : std::max<int64_t>(kAdditions / each, 1)) *
                             (in_rows_ ? l.shape.lanes : together(l));  // rows together have one vector each
    std::map<int, int> block_of;
    for (const auto& [total, count] : sums) block_of[total] = block_accumulator(total);
    TreeLoop outer, inner = l;
    inner.parallel = false;
    add_to_blocks(inner.body, block_of);
    if (elements == 1) {  // an iteration is a block
      inner.body = with_totals(std::move(inner.body), block_of, [](int) { return Expr(); });
      return inner;
    }
    const Expr begin = l.begin ? l.begin : constant_int(0), end = l.end ? l.end : l.var.extent;
    const Expr step = constant_int(elements);
    outer.var = {letter_of(l.var.name) + "_block." + std::to_string(++blocks_),
                 apply(ScalarOp::FloorDiv, {end - begin + step - constant_int(1), step})};
    const Expr at = begin + var_ref(outer.var.name) * step;
    std::swap(outer.needed, inner.needed);
    inner.begin = simplify(at, ranges_);
    inner.end = simplify(smaller(at + step, end), ranges_);
    // one element decides: a skipped block adds false to any, true to all
    const Expr so_far = running_ref(accumulator_name(first), DType::Bool);
    if (is_question(op)) inner.needed = op == Reducer::All ? so_far : apply(ScalarOp::Not, {so_far});
    // If an outer loop accumulates too, the total already includes earlier rows at the first block.
    outer.body = with_totals({{std::move(inner)}}, block_of, [&](int total) {
      const bool compensated = tree_.accumulators[static_cast<size_t>(total)].compensated;
      return compensated && begins(around, total) ? var_ref(outer.var.name) : nullptr;
    });
    return outer;
  }

  /// The blocks begin before `inside`, and are added to their totals after it; `added_before`: how many were.
  Tree with_totals(Tree inside, const std::map<int, int>& block_of, FunctionRef<Expr(int)> added_before) const {
    Tree out;
    for (const auto& [total, block] : block_of) out.push_back({TreeBegin{block}});
    append(out, inside);
    for (const auto& [total, block] : block_of) {
      const DType type = tree_.accumulators[static_cast<size_t>(total)].type;
      out.push_back({TreeEnd{block}});
      out.push_back({TreeAccumulate{total, nullptr, running_ref(accumulator_name(block), type), added_before(total)}});
    }
    return out;
  }

  static void add_to_blocks(Tree& t, const std::map<int, int>& block_of) {
    for (TreeNode& n : t) {
      auto* a = std::get_if<TreeAccumulate>(&n.node);
      if (a && block_of.count(a->accumulator) != 0) a->accumulator = block_of.at(a->accumulator);
      if (auto* l = std::get_if<TreeLoop>(&n.node)) add_to_blocks(l->body, block_of);
    }
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

  const Kernel& k_;
  LoopTree& tree_;
  Ranges ranges_;
  std::vector<Expr> facts_;
  std::map<int, int> additions_;  ///< of each accumulator: in how many places it is added to
  std::map<int, int> begun_at_;   ///< the number of loops around where each begins
  int depth_ = 0;                 ///< of the loop at hand
  int blocks_ = 0;
  bool in_lanes_ = false;  ///< of a vector loop around the one at hand
  bool in_rows_ = false;   ///< of a loop around the one at hand that takes several rows together
};

}  // namespace

void block_sums(const Kernel& k, LoopTree& tree) { Blocks(k, tree).split(tree.body); }

}  // namespace tenon
