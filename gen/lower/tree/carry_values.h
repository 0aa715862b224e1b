// Loops of recurrences whose iterations pass values on in variables, and rows of them that are interleaved.
#pragma once

#include "algebra/linear.h"
#include "lower/tree/loop_tree.h"

namespace tenon {

/// Sets TreeLoop::apart of carried loops around which nothing but carried loops is left: that many iterations have
/// reads before the first element, and only these ask for it.
void carry_values(const Kernel&, LoopTree&);

/// The body of a carried loop for its first `apart` iterations, and for those after them: what the iterations decide
/// is decided, padded reads that are inside are plain. `ranges` knows the variables around it, not its own.
Tree first_iterations(const Kernel&, const TreeLoop&, const Ranges& ranges);
Tree later_iterations(const Kernel&, const TreeLoop&, const Ranges& ranges);

/// An element that an iteration reads and one before it has made: the value of tensor[index] is that of the definition
/// `back` iterations ago.
struct HandedOn {
  int tensor = 0;
  std::vector<Expr> made;  ///< the index of the definition
  int64_t most = 0;        ///< as far back as a read reaches
};
std::vector<HandedOn> handed_on(const TreeLoop&, const Tree& body);
/// made[var - back], for `var` the variable of the loop.
std::vector<Expr> index_back(const HandedOn&, const std::string& var, int64_t back);

}  // namespace tenon
