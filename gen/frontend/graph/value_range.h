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

/// The range of the first result of `op`, given the ranges `inputs` of its operands; nothing if unknown. NaN is not
/// covered: callers that convert to an integer have to check for it.
std::optional<ValueRange> range_of_result(const std::string& op, const std::vector<std::optional<ValueRange>>& inputs,
                                          const Attributes& attrs);

}  // namespace tenon
