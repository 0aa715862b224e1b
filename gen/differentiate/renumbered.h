// Contributions that give each element of a tensor exactly one value under another number, as the gradient of a
// reshape.
#pragma once

#include <optional>

#include "differentiate/gather_form.h"

namespace tenon {

/// The value for one element, where the index of `c` is the row-major place of a number that counts all values of its
/// variables, and the tensor has as many elements.
std::optional<Expr> renumbered_form(const Contribution& c, const GatherTarget& target);

}  // namespace tenon
