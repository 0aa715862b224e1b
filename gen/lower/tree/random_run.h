// Random words and compared numbers of adjacent iterations, which share computations.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "ir/kernel/expr.h"
#include "support/function_ref.h"

namespace tenon {

/// Words of consecutive blocks of Philox. The counter of iteration `number` is that of iteration 0 plus number/period.
struct RandomRun {
  Expr number;
  int period = 0;              ///< so many iterations in a row share a block
  std::array<int, 4> words{};  ///< of iteration k of those: which word of the block

  /// All words one after the other.
  bool in_order() const { return period == 4 && words == std::array<int, 4>{0, 1, 2, 3}; }
};

/// Nothing where neighbours along `var` share no block, or not in this way. `varies` tells what differs between them.
std::optional<RandomRun> find_random_run(const Apply& philox, const std::string& var,
                                         FunctionRef<bool(const Expr&)> varies);

/// A number that is one higher in each iteration, or its residue modulo a small power of two, compared with a bound
/// that is the same in all iterations; that of a residue is a constant.
struct ComparedNumber {
  Expr number, bound;
  int64_t modulus = 0;  ///< 0: the number itself
  bool bound_first = false;
};
std::optional<ComparedNumber> find_compared_number(const Apply& comparison, const std::string& var,
                                                   FunctionRef<bool(const Expr&)> varies);

}  // namespace tenon
