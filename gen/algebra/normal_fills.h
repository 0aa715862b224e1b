// Reads that yield another value outside of their tensor, in one form.
#pragma once

#include <vector>

#include "algebra/linear.h"
#include "ir/kernel/kernel.h"

namespace tenon {

/// `e` inside the loops `vars`, where a read has no fill if its indices are proved to be inside the tensor, and where
/// a choice between a read and another value, by whether the read's own indices are inside, is a read with that fill:
/// what a padded read of a tensor becomes when the tensor's maker, a transposition for one, is put in its place.
Expr normal_fills(const Kernel& kernel, const Expr& e, const std::vector<LoopVar>& vars);

/// Whether an index is below an extent, also by what the kernel's facts say that sizes are equal to.
bool proves_below(const Kernel& kernel, const Expr& index, const Expr& extent, const Ranges& ranges);

/// Whether every index is inside of its dim, as a condition.
Expr inside(const std::vector<Expr>& index, const std::vector<Expr>& dims);

/// Some read in `e` has a fill.
bool has_fill(const Expr& e);

}  // namespace tenon
