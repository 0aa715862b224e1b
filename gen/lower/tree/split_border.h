// Loops that are split: where windows reach over the border, into the part with every tap inside and those left and
// right of it; where an index starts again after each period, into periods.
#pragma once

#include <optional>

#include "algebra/linear.h"
#include "ir/kernel/kernel.h"
#include "lower/tree/loop_tree.h"

namespace tenon {

/// The iterations of `loop` for which all padded reads are inside in the dimensions that depend on its variable, as
/// expressions of outer variables with 0 <= begin <= end <= extent; nothing where that is not an interval that can be
/// written down. `body`: that of the loop there, in which indices are themselves in place of being led back. `outside`:
/// that of all other iterations, empty where it is the loop's own.
struct Interior {
  Expr begin, end;
  Tree body;
  Tree outside;
  bool divides = false;  ///< guards that are left out divide
};
std::optional<Interior> find_interior(const Kernel&, const TreeLoop& loop, const Ranges& ranges);

/// The iterations of `loop`, whose body divides its variable by a period, period by period: those from `begin` to
/// `end`, which depend on the number of the period. In `body` nothing is left to divide. Nothing where there is no such
/// period, or where iterations depend on each other. `lines`: the body is a loop over a line.
struct Periods {
  LoopVar period;
  Expr begin, end;
  Tree body;
};
std::optional<Periods> find_periods(const TreeLoop& loop, const Ranges& ranges, bool lines = false);

/// Where low <= index <= high the expression is `index` itself. Null: no limit at that end.
struct GuardedIndex {
  Expr index;
  Expr low, high;
  bool divides = false;  ///< by a number that is no power of two: costly
  bool repeats = false;  ///< index % period
};

/// The operand of a node that leads an index back into the tensor; nothing for other nodes.
std::optional<GuardedIndex> guarded_index(const Expr& e, const Ranges& ranges);

}  // namespace tenon
