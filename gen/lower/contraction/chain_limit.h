// Columns of a chain that no row of a block needs: scores that a condition such as `j > i` sets to -inf, and values
// computed from them, do not contribute to any sum.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/kernel/kernel.h"

namespace tenon {

struct ChainLimit {
  Expr guard;   ///< the rest holds where this does; null: always
  Expr needed;  ///< so many columns, the first ones, count for the row; it does not fall from row to row
  Expr all;     ///< the number of columns
  std::vector<std::set<std::string>> vars;  ///< of each statement: the loop or sum variables that walk the columns
};

/// Whether one of the variables, which statement number `at` has, walks the columns.
bool walks_limited(const std::vector<LoopVar>& vars, const ChainLimit& limit, size_t at);
/// The statement of that number over the first `columns` of them.
KernelStatement limited_to(const Expr& columns, const ChainLimit& limit, size_t at, KernelStatement s);

/// The limit of the kernel's statements, whose rows are walked by `row`; or nothing.
std::optional<ChainLimit> find_chain_limit(const Kernel& kernel, const LoopVar& row);

}  // namespace tenon
