// The conditions under which a loop over columns can be processed row by row.
#include "lower/tree/column_reductions.h"

#include "lower/kernel/variants.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The expressions of a leaf.
template <class Visit>
void each_value(const TreeNode& n, const Visit& visit) {
  if (const auto* a = std::get_if<TreeAccumulate>(&n.node)) visit(a->value);
  if (const auto* d = std::get_if<TreeDefine>(&n.node)) visit(d->value);
}

bool is_plain(const Accumulator& a) {
  const bool known = !is_positional(a.op) && a.op != Reducer::Fold;
  return known && !is_complex(a.type) && a.type != DType::Bool;
}

/// What goes through a strip by vectors of neighbours.
bool suits_strips(const Expr& e) {
  return !any_node(e, [](const Expr& x) {
    const auto* a = std::get_if<Apply>(&x->node);
    return is_complex(x->type) || (a && (a->op == ScalarOp::Philox || a->op == ScalarOp::FloorDiv));
  });
}

}  // namespace

bool ColumnReductions::streams(const TreeLoop& columns) {
  const bool plain = !columns.begin && !columns.end && !columns.ordered && !columns.carried;
  if (!plain || !at_least(columns.var.extent, kManyColumns)) return false;
  column_ = columns.var.name;
  columns_ = columns.var.extent;
  made_.clear();
  bool reduces = false;
  for (const TreeNode& n : columns.body) {
    const auto* rows = std::get_if<TreeLoop>(&n.node);
    if (rows ? !is_rows(*rows) : !is_leaf_of_column(n)) return false;
    reduces = reduces || rows;
  }
  return reduces && reads_stay_in_column(columns.body);
}

/// Begins, ends, and elements of the column.
bool ColumnReductions::is_leaf_of_column(const TreeNode& n) {
  const auto* b = std::get_if<TreeBegin>(&n.node);
  if (b) return !b->start && is_plain(tree_.accumulators[static_cast<size_t>(b->accumulator)]);
  return std::holds_alternative<TreeEnd>(n.node) || is_own_element(n);
}

bool ColumnReductions::is_own_element(const TreeNode& n) {
  const auto* d = std::get_if<TreeDefine>(&n.node);
  if (!d || d->update != Update::Assign || d->where) return false;
  made_.insert(d->tensor);
  return contiguous(d->tensor, d->index);
}

/// Rows one after the other: no window, and something read that is contiguous
/// along the columns.
bool ColumnReductions::is_rows(const TreeLoop& rows) {
  if (rows.begin || rows.end || rows.carried || !at_least(rows.var.extent, kManyRows)) return false;
  if (mentions(rows.var.extent, column_) || is_small(rows.var.extent)) return false;
  bool far = false, plain = true;
  for (const TreeNode& n : rows.body) {
    const auto* a = std::get_if<TreeAccumulate>(&n.node);
    plain = plain && (a ? !a->where && !a->position : is_own_element(n));
    each_value(n, [&](const Expr& e) {
      plain = plain && suits_strips(e);
      each_read(e,
                [&](const Read& r) { far = far || (mentions(r.index, column_) && mentions(r.index, rows.var.name)); });
    });
  }
  return plain && far;
}

/// A plane of a known size that stays in the caches is not worth memory for running values.
bool ColumnReductions::is_small(const Expr& rows) const {
  constexpr int64_t kSmallPlane = 1 << 16;
  const auto height = constant_value(rows), width = constant_value(columns_);
  return height && width && *height * *width < kSmallPlane;
}

/// Neighbouring columns are neighbours in memory.
bool ColumnReductions::contiguous(int tensor, const std::vector<Expr>& index) const {
  const Tensor& t = k_.tensor(tensor);
  int found = 0;
  for (size_t d = 0; d < index.size(); ++d) {
    if (!mentions(index[d], column_)) continue;
    if (!is_variable(index[d], column_) || !is_one(t.strides[d])) return false;
    ++found;
  }
  return found == 1;
}

bool ColumnReductions::reads_stay_in_column(const Tree& body) const {
  bool stay = true;
  const auto see = [&](const Expr& e) {
    each_read(e, [&](const Read& r) {
      const bool moves = mentions(r.index, column_) || made_.count(r.tensor) != 0;
      stay = stay && !r.fill && (!moves || contiguous(r.tensor, r.index));
    });
  };
  for (const TreeNode& n : body) {
    each_value(n, see);
    if (const auto* rows = std::get_if<TreeLoop>(&n.node))
      for (const TreeNode& leaf : rows->body) each_value(leaf, see);
  }
  return stay;
}

}  // namespace tenon
