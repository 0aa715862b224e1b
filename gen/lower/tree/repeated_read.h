// Reads of which neighbouring iterations take the same element: images that are enlarged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algebra/linear.h"
#include "support/function_ref.h"

namespace tenon {

/// What a read of tensor elements is seen from a loop: its index, and what the tensor's dimensions are apart.
struct IndexInLoop {
  const std::vector<Expr>& index;
  const std::vector<Expr>& strides;
  const std::string& var;
};
/// So many iterations of a loop from 0 on read one element, the next as many the one after it: a power of two above 1.
/// Nothing where elements are read in another way. `varies` tells what differs between iterations.
std::optional<int64_t> repeats(const IndexInLoop& read, FunctionRef<bool(const Expr&)> varies, const Ranges& ranges);

}  // namespace tenon
