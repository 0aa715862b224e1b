// The range of the elements of a computed tensor, as far as its operators determine it: where an extent follows
// from such an element, this is what memory can be planned for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/graph/graph.h"

namespace tenon {

struct ValueRange {
  double lo = 0;
  double hi = 0;
};

/// All numbers of a narrow type; nothing for types whose numbers bound no extent.
std::optional<ValueRange> range_of_type(DType dtype);

/// What the elements of the first result of `op` are between where those of its inputs are between `inputs`; nothing
/// where that is not known. NaN is no element of a range: who converts one to an integer has to check it.
std::optional<ValueRange> range_of_result(const std::string& op, const std::vector<std::optional<ValueRange>>& inputs,
                                          const Attributes& attrs);

}  // namespace tenon
