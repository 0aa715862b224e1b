// The expressions of a loop tree, seen and changed.
#pragma once

#include "algebra/linear.h"
#include "lower/tree/loop_tree.h"

namespace tenon {

/// The tree with every expression changed, given the ranges of the loops around it.
Tree changed_tree(const Tree& tree, Ranges ranges, FunctionRef<Expr(const Expr&, const Ranges&)> change);

/// Calls f for every expression that the tree computes: values, places, conditions, bounds of loops.
void each_value(const Tree& tree, FunctionRef<void(const Expr&)> f);

}  // namespace tenon
