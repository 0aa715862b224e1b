// Chains: products of rows with matrices, and statements about single rows between them, such as attention. All of it
// can be done for a block of rows before the next block begins, so that intermediates of two products need the
// memory of a block alone. A product may also sum over the rows, as gradients of the matrices do: each block adds to
// it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/kernel/kernel.h"
#include "ir/nest/blueprint.h"
#include "ir/nest/isa.h"
#include "ir/nest/loop_nest.h"
#include "lower/contraction/join_segments.h"

namespace tenon {

/// Neighbouring statements of a chain as a kernel over one block: outer variables, the block's first row and its number
/// of rows are sizes of the kernel; temps that other segments touch have the rows of a block alone, and are its inputs
/// and outputs.
struct ChainSegment {
  enum class Place : uint8_t {
    Before,   ///< once for the shared loops: sums over the rows begin with 0
    Between,  ///< for each block, statements about its rows
    Product,  ///< for each block, one contraction
    Sum,      ///< for each block, one contraction over its rows, added to the sum so far
    After,    ///< once for the shared loops, when all rows are done
  };
  Place place = Place::Between;
  Kernel kernel;
  bool limits_columns = false, limits_depth = false;  ///< a product, of the columns or the depth that count
  bool limits_rows = false;                           ///< a sum, of the rows that count
};

struct RowChain {
  std::vector<LoopVar> shared;  ///< outer loops that a matrix depends on
  std::vector<LoopVar> outer;   ///< the other ones
  LoopVar row;                  ///< the loop that is taken in blocks
  std::vector<std::string> shared_names,
      outer_names;           ///< what the loops' variables are called as sizes of the segments
  std::string first, count;  ///< sizes: first row of the block, number of its rows
  std::string limit;         ///< a size: how many columns any row of the block needs; empty: all
  Expr limit_value;          ///< the same from the other sizes
  Expr limit_all;            ///< all columns
  std::vector<ChainSegment> segments;
  std::vector<int> between;  ///< temps of a block that more than one segment touches
  std::vector<int> sums;     ///< tensors that sum over the rows
};

/// A kernel after its passes, and the chain that its statements are.
struct ChainedKernel {
  Kernel kernel;
  RowChain chain;
};

/// The chain that the statements of a kernel are, each reduction a statement of its own (separate-reductions); nothing
/// where they are none, or have fewer than two contractions.
std::optional<RowChain> find_row_chain(const Kernel& kernel);

/// The statements of a chain; nothing where no blueprint `row_chain` fits or a segment cannot be expressed, and the
/// target is as before.
std::optional<PanelledBody> lower_row_chain(const ChainedKernel& chained, const Isa& isa, const Blueprints& blueprints,
                                            const LowerStatements& loops, NestTarget target);

}  // namespace tenon
