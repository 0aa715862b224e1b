// The order of an index variable's values in a recurrence.
#pragma once

#include <cstdint>

namespace tenon {

enum class Direction : std::uint8_t {
  Any,   ///< no element depends on another along the variable: in any order, at once
  Up,    ///< 0, 1, … extent-1
  Down,  ///< extent-1, … 1, 0
};

}  // namespace tenon
