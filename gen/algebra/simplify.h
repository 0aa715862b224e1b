// Simplification of monomorphic expressions: integer and boolean rules, comparisons decided by the ranges of variables.
// Float arithmetic keeps its bits: only selections, constants and x*1 are touched.
#pragma once

#include "algebra/linear.h"
#include "ir/kernel/expr.h"
#include "support/pointer_map.h"

namespace tenon {

/// An equal expression. `ranges` holds for every free variable and size; ranges of reduction variables are added on the
/// way.
Expr simplify(const Expr& e, const Ranges& ranges = {});

/// Equal subexpressions become one node, so that nodes compare by address.
class SharedExprs {
 public:
  Expr share(const Expr& e);

 private:
  std::multimap<size_t, Expr> by_hash_;
  PointerMap<Expr> done_;
  std::vector<Expr> kept_;  ///< keeps the keys of done_ alive
};

}  // namespace tenon
