// Contributions as sums: dX[g(v)] += e(v) for all v → dX[u] = sum over the v with g(v) = u of e(v), by solving the
// index map for variables.
#pragma once

#include <optional>

#include "algebra/linear.h"
#include "differentiate/back_propagate.h"

namespace tenon {

/// The elements that a gradient has. A dim that is repeated at run time has an element for all repetitions: `at` is
/// loop + repetition there.
struct GatherTarget {
  std::vector<LoopVar> loops;
  std::vector<Expr> repeats;  ///< per dim: how often its elements are repeated; null: once
  std::vector<Expr> dims;     ///< of the tensor that is read
};

/// Facts about a kernel's sizes.
struct GatherFacts {
  Ranges ranges;
  std::vector<Expr> facts;
  const std::vector<Tensor>* tensors = nullptr;  ///< that values read
  bool searches = false;  ///< unsolved equations become conditions over all values of the variables
};

/// The sum for one element; nothing where the index map has no solution in closed form.
std::optional<Expr> gather_form(const Contribution& c, const GatherTarget& target, const GatherFacts& known,
                                FreshNames& names);

/// The value for one element, where the index of `c` is the row-major place of a number that counts all values of its
/// variables, and the tensor has as many elements.
std::optional<Expr> renumbered_form(const Contribution& c, const GatherTarget& target);

}  // namespace tenon
