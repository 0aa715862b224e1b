// How many elements of a temp the loops around its definition need at a time.
#pragma once

#include "lower/tree/loop_tree.h"

namespace tenon {

/// A loop around the definition of a temp.
struct SurroundingLoop {
  LoopVar var;
  bool carried = false;
  bool vector = false;
};

/// Every access to a temp, and the position of its one definition.
struct TempAccesses {
  std::vector<const std::vector<Expr>*> indices;  ///< in the tree, which outlives this
  const std::vector<Expr>* definition = nullptr;  ///< null where there are several
  std::vector<SurroundingLoop> around;            ///< the definition, outermost first
};

/// Per dim: so many elements are kept, each at its index modulo that number; 0: all are.
std::vector<int64_t> kept_elements(size_t rank, const TempAccesses& accesses);

}  // namespace tenon
