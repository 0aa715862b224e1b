// Reductions over boxes that slide with a loop: sum[r](x[i + r]), max[k : i - w <= k and k <= i](x[k]).
#pragma once

#include <optional>
#include <string>

#include "ir/kernel/kernel.h"

namespace tenon {

/// The value of a reduction reads places i + r alone, where i is loop `loop` of its statement and r its variable `var`.
struct SlidingBox {
  size_t loop = 0, var = 0;
  Expr value;   ///< at the place that `place` names
  Expr places;  ///< how many there are: 0 where there is no loop or no variable to run over
};

/// Boxes from this width on are put together from smaller ones, 4 and 32 elements wide.
inline constexpr int64_t kWideBox = 32, kFewOfBox = 4;
/// Boxes of integers whose sums are differences of running sums.
inline constexpr int64_t kCountedBox = 8;

/// The box of the innermost loop that slides; `place`: a name that the statement does not have.
std::optional<SlidingBox> sliding_box(const KernelStatement& s, const Reduce& r, const std::string& place);

/// A condition that limits the variable to a box: at least i - before and below i + after, where i is loop `loop`.
struct ConditionedBox {
  size_t loop = 0;
  Expr before, after;
};
std::optional<ConditionedBox> conditioned_box(const KernelStatement& s, const Reduce& r);

/// Whether the results of parts of a box are put together to that of the box, in any order.
bool joins_parts(const Kernel& k, const Reduce& r);
/// Whether removing the first elements from a box is exactly subtracting their result.
bool takes_away(const Reduce& r);

}  // namespace tenon
