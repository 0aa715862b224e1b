// Loops over columns that are reduced: which of them can be processed row by row.
#pragma once

#include <set>
#include <string>

#include "lower/kernel/kernel_ranges.h"
#include "lower/tree/loop_tree.h"

namespace tenon {

class ColumnReductions {
 public:
  ColumnReductions(const Kernel& k, const LoopTree& tree) : k_(k), tree_(tree), ranges_(size_ranges(k)) {}

  /// Whether the loop is over many columns, contiguous in memory and apart from each other, in each of which many rows
  /// are reduced.
  bool streams(const TreeLoop& columns);

 private:
  bool at_least(const Expr& extent, int64_t least) const { return proves_le(constant_int(least), extent, ranges_); }
  bool is_leaf_of_column(const TreeNode& n);
  bool is_own_element(const TreeNode& n);
  bool is_rows(const TreeLoop& rows);
  bool is_small(const Expr& rows) const;
  bool contiguous(int tensor, const std::vector<Expr>& index) const;
  bool reads_stay_in_column(const Tree& body) const;

  const Kernel& k_;
  const LoopTree& tree_;
  Ranges ranges_;
  std::string column_;  ///< the variable over columns
  Expr columns_;
  std::set<int> made_;  ///< temps defined for each column
};

}  // namespace tenon
