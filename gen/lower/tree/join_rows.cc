// Finding rows to be taken together: the vectors are planned already.

#include "lower/kernel/kernel_ranges.h"
#include "lower/kernel/variants.h"
#include "lower/tree/lane_survey.h"
#include "lower/tree/tree_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

class RowJoiner {
 public:
  RowJoiner(const Kernel& k, const Isa& isa, const LoopTree& tree)
      : k_(k), isa_(isa), tree_(tree), ranges_(size_ranges(k)) {}

  /// Rows of the loop that go together; 0 where they cannot.
  int rows_of(const TreeLoop& l) {
    if (l.begin || l.end || l.ordered || l.carried || l.interior || l.shape.lanes * l.shape.parts > 1) return 0;
    if (!all_of(l.body, belongs_to_rows)) return 0;
    int lanes = 0;
    ranges_.extents[l.var.name] = l.var.extent;
    for (const TreeNode& n : l.body) {
      const auto* inner = std::get_if<TreeLoop>(&n.node);
      if (!inner) continue;
      if ((lanes != 0 && inner->shape.lanes != lanes) || !reduces_row(*inner, l.var.name)) return 0;
      lanes = inner->shape.lanes;
    }
    if (any_of(l.body, [&](const TreeNode& n) { return stores_temp(n); })) return 0;
    constexpr int kFewest = 4;
    if (lanes < kFewest || 2 * lanes > isa_.vector_registers || !has_plain_accumulators(l)) return 0;
    if (proves_lt(l.var.extent, constant_int(lanes), ranges_)) return 0;  // as bodies for few rows or columns have it
    return results_are_lanes(l, lanes) ? lanes : 0;
  }

 private:
  /// What rows together can hold: no sums over the rows themselves.
  static bool belongs_to_rows(const TreeNode& n) {
    return std::holds_alternative<TreeLoop>(n.node) || std::holds_alternative<TreeBegin>(n.node) ||
           std::holds_alternative<TreeEnd>(n.node) || std::holds_alternative<TreeDefine>(n.node);
  }

  /// A temp that other loops read too.
  bool stores_temp(const TreeNode& n) const {
    const auto* d = std::get_if<TreeDefine>(&n.node);
    return d && k_.tensor(d->tensor).role == Role::Temp &&
           place_temps(k_, tree_)[static_cast<size_t>(d->tensor)].stored;
  }

  /// Whether the loop adds up one product of the row with what is the same for all rows. Long rows are streams: several
  /// come from memory in less time than one after the other.
  bool adds_scaled_row(const TreeLoop& inner, const std::string& row) const {
    const auto* a = inner.body.size() == 1 ? std::get_if<TreeAccumulate>(&inner.body[0].node) : nullptr;
    if (!a || tree_.accumulators[static_cast<size_t>(a->accumulator)].op != Reducer::Sum) return false;
    const Apply* product = as_apply(a->value, ScalarOp::Mul);
    return product && is_float(a->value->type) && product->args.size() == 2 &&
           mentions(product->args[0], row) != mentions(product->args[1], row);
  }

  /// A loop over neighbours in the row, that only adds to accumulators, for little.
  bool reduces_row(const TreeLoop& inner, const std::string& row) {
    if (inner.shape.lanes < 2 || inner.begin || inner.end || mentions(inner.var.extent, row) ||
        !(proves_lt(inner.var.extent, constant_int(kLongRow), ranges_) || adds_scaled_row(inner, row)))
      return false;
    if (LaneSurvey({k_, isa_, tree_, ranges_}, inner, place_temps(k_, tree_)).costly() > 0) return false;
    return all_of(inner.body, [&](const TreeNode& n) {
      const auto* a = std::get_if<TreeAccumulate>(&n.node);
      return a && !a->where && walks_with(a->value, row, inner.var.name);
    });
  }

  /// Whether the row is indexed only by reads along it, and by temps of one element a row.
  bool walks_with(const Expr& e, const std::string& row, const std::string& along) const {
    if (is_variable(e, row)) return false;
    if (const auto* r = std::get_if<Read>(&e->node)) {
      const bool walks = mentions(r->index, along);
      return !r->fill && (k_.tensor(r->tensor).role == Role::Temp ? !walks : walks || !mentions(r->index, row));
    }
    bool all = true;
    each_child(e, [&](const Expr& c) { all = all && walks_with(c, row, along); });
    return all;
  }

  bool has_plain_accumulators(const TreeLoop& l) const {
    bool any = false, all = true;
    for (const TreeNode& n : l.body) {
      const auto* b = std::get_if<TreeBegin>(&n.node);
      if (!b) continue;
      const Accumulator& a = tree_.accumulators[static_cast<size_t>(b->accumulator)];
      const bool known = a.op == Reducer::Sum || a.op == Reducer::Prod || a.op == Reducer::Max || a.op == Reducer::Min;
      any = true;
      all = all && known && !b->start && has_joined_rows(a.type) && a.split.lanes > 1 && !a.masked;
    }
    return any && all;
  }

  /// The body without its reductions is a vector of rows.
  bool results_are_lanes(const TreeLoop& l, int lanes) {
    TreeLoop results = l;
    results.shape = {lanes, 1};
    std::erase_if(results.body, [](const TreeNode& n) {
      return std::holds_alternative<TreeLoop>(n.node) || std::holds_alternative<TreeEnd>(n.node);
    });
    const std::vector<TempPlace> places = place_temps(k_, tree_);
    const LaneSurvey survey({k_, isa_, tree_, ranges_}, results, places);
    return survey.possible() && survey.neighbours() > 0 && isa_.vector_bits / (8 * survey.widest()) == lanes;
  }

  const Kernel& k_;
  const Isa& isa_;
  const LoopTree& tree_;
  Ranges ranges_;
};

/// Sums of products of two reads: of one row of a matrix with many.
bool adds_products(const TreeLoop& l) {
  return any_of(l.body, [](const TreeNode& n) {
    if (const auto* inner = std::get_if<TreeLoop>(&n.node)) return adds_products(*inner);
    const auto* a = std::get_if<TreeAccumulate>(&n.node);
    const auto* product = a ? std::get_if<Apply>(&a->value->node) : nullptr;
    return product && product->op == ScalarOp::Mul;
  });
}

}  // namespace

void join_rows(const Kernel& k, const Isa& isa, LoopTree& tree) {
  if (isa.vector_bits == 0) return;
  RowJoiner joiner(k, isa, tree);
  for (TreeNode& n : tree.body) {
    auto* l = std::get_if<TreeLoop>(&n.node);
    if (!l) continue;
    l->rows = joiner.rows_of(*l);
    auto* inner = l->rows == 0 && l->body.size() == 1 ? std::get_if<TreeLoop>(&l->body[0].node) : nullptr;
    if (inner && adds_products(*inner)) inner->rows = joiner.rows_of(*inner);
  }
}

bool joins_rows(const Tree& tree) {
  return any_of(tree, [](const TreeNode& n) {
    const auto* l = std::get_if<TreeLoop>(&n.node);
    return l && (l->rows > 1 || joins_rows(l->body));
  });
}

}  // namespace tenon
