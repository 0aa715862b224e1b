// Chains: products of rows with matrices, and statements about single rows between them, such as attention. All of it
// can be done for a block of rows before the next block begins, so that what is between two products needs the
// memory of a block alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/kernel/kernel.h"

namespace tenon {

/// Neighbouring statements of a chain as a kernel over one block: outer variables, the block's first row and its number
/// of rows are sizes of the kernel; temps that other segments touch have the rows of a block alone, and are its inputs
/// and outputs.
struct ChainSegment {
  bool contracts = false;  ///< one statement, a contraction
  Kernel kernel;
};

struct RowChain {
  std::vector<LoopVar> shared;  ///< outer loops that a matrix depends on
  std::vector<LoopVar> outer;   ///< the other ones
  LoopVar row;                  ///< the loop that is taken in blocks
  std::vector<std::string> shared_names,
      outer_names;           ///< what the loops' variables are called as sizes of the segments
  std::string first, count;  ///< sizes: first row of the block, number of its rows
  std::vector<ChainSegment> segments;
  std::vector<int> between;  ///< temps that more than one segment touches
};

/// A kernel after its passes, and the chain that its statements are.
struct ChainedKernel {
  Kernel kernel;
  RowChain chain;
};

/// The chain that the statements of a kernel are, reductions standing alone (separate-reductions); nothing where they
/// are none, or have fewer than two contractions.
std::optional<RowChain> find_row_chain(const Kernel& kernel);

}  // namespace tenon
