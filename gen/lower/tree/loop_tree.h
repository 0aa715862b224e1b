// Loop trees: the nesting of loops and the operations in them, still as expressions without vectors. The step between a
// kernel's list of statements and its loop nest.
//
//   tree := node…
//   node := loop(var, tree) | define(tensor[index] update value) | begin(acc) | accumulate(acc, value where …) |
//   end(acc)
//         | transpose(define, down, across)
//
// Loop variables of a tree are named `letter.number`, so that each loop has a name of its own. The value of accumulator
// n is the variable accumulator_name(n): from begin on its running value (serial loops), from end on its result.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "algebra/linear.h"
#include "ir/kernel/kernel.h"

namespace tenon {

struct TreeNode;
using Tree = std::vector<TreeNode>;

/// How a loop is written: lanes > 1 or parts > 1 = `parts` vectors of `lanes` iterations at a time, and a remainder.
struct LoopShape {
  int lanes = 1;
  int parts = 1;
  int prefetch_bytes = 0;  ///< how far ahead loads and stores of neighbours are fetched
};

struct TreeLoop {
  LoopVar var;
  Expr begin, end;        ///< null: 0 and the extent
  Expr needed;            ///< null: always; a loop that only accumulates matters where it holds
  bool interior = false;  ///< padded reads whose index depends on the variable are inside
  bool parallel = false;  ///< iterations may go to workers
  bool ordered = false;   ///< iterations depend on each other beyond accumulators (scans, scatter, recurrences)
  bool carried = false;   ///< of a recurrence: each iteration needs what those before it made
  bool periods = false;   ///< over pieces of the loop inside, which has an iteration in one of them if it has an extent
  int apart = 0;          ///< of a carried loop: so many first iterations are written apart (carry_values.h)
  LoopShape shape;
  bool in_strip = false;  ///< goes over a strip of temps that stays in the first cache
  bool overruns = false;  ///< a last vector may go over the end: it touches only elements of these temps
  int rows = 0;           ///< > 1: so many iterations at a time, whose reductions over vector loops are folded together
  std::vector<int> cached;     ///< tensors that an earlier loop of the same row went over: not fetched ahead
  std::vector<Expr> next_row;  ///< reads of the next row, fetched ahead by this loop
  std::vector<TreeNode> body;
};
struct TreeDefine {
  int tensor = 0;
  std::vector<Expr> index;
  Update update = Update::Assign;
  Expr value;
  std::string formula;
  Expr where = nullptr;   ///< of an update: done only where it holds
  bool in_place = false;  ///< of a recurrence: the element takes the place of that of the step before
};
/// `start`: of a Fold, what it begins with.
struct TreeBegin {
  int accumulator = 0;
  Expr start = nullptr;
};
/// `position`: for ArgMax and ArgMin, what the result is when this element wins; of a compensated sum: how many values
/// were added before this one, null where that is not known.
struct TreeAccumulate {
  int accumulator = 0;
  Expr where;
  Expr value;
  Expr position;
};
struct TreeEnd {
  int accumulator = 0;
};

/// A copy for all values of two variables: `down` is dense in the source, `across` in the target.
struct TreeTranspose {
  LoopVar down, across;
  TreeDefine copy;
  int edge = 8;
  Expr from_step, to_step;  ///< strides of the source along `across` and of the target along `down`; null if unknown
};

struct TreeNode {
  std::variant<TreeLoop, TreeDefine, TreeBegin, TreeAccumulate, TreeEnd, TreeTranspose> node;
};

struct Accumulator {
  Reducer op;
  DType type;
  DType compared = DType::I64;  ///< ArgMax and ArgMin: type of the compared values
  std::string name;             ///< what it is called in the C
  LoopShape split;              ///< lanes and parts, when a vector loop runs over the reduction
  bool masked = false;          ///< a condition leaves elements out, maybe all that a lane meets
  bool compensated = false;     ///< a sum that keeps what rounding loses, and adds it at the end
  bool backwards = false;       ///< ArgMax and ArgMin: the last element comes first, and of equal ones the first wins
};

struct LoopTree {
  Tree body;
  std::vector<Accumulator> accumulators;
  std::vector<std::string> notes = {};  ///< decisions about the loops, a line each
  std::vector<int> lines = {};          ///< temps whose elements are stored from the first to the last, line by line
};

std::string accumulator_name(int number);
/// The name of a loop variable in C: the part before the dot.
std::string letter_of(const std::string& variable);
/// Of a loop over a piece of another one, from begin to begin + some number or to the end of all: that number.
std::optional<int64_t> piece_of(const TreeLoop&);
std::string to_text(const LoopTree&, const std::vector<std::string>& tensor_names);

/// The tree with every expression changed, given the ranges of the loops around it.
Tree changed_tree(const Tree& tree, Ranges ranges, FunctionRef<Expr(const Expr&, const Ranges&)> change);

/// Calls f for every expression that the tree computes: values, places, conditions, bounds of loops.
void each_value(const Tree& tree, FunctionRef<void(const Expr&)> f);

}  // namespace tenon
