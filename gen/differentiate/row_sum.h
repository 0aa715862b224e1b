// Gradients that are sums over rows, the elements of axis 0.
#pragma once

#include <optional>
#include <vector>

#include "ir/kernel/kernel.h"

namespace tenon {

/// A kernel that sums terms of which each reads one row of some tensors: the rows may come in several parts, and the
/// sums of the parts be added.
struct RowSum {
  Expr of_one_row;
  std::vector<bool> by_row;  ///< per tensor: each term reads it in one row, at the same place as the other ones
};

/// `of` is a tensor that it reads by row. Nothing where the kernel is no such sum.
std::optional<RowSum> row_sum(const Kernel& kernel, int of);

}  // namespace tenon
