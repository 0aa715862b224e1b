// The size by which a kernel knows whether an operand of a variadic input is given.
#pragma once

#include <string>

namespace tenon {

/// 1 where the tensor is given and 0 where it is absent. Statements that read it are in a loop over this size, and
/// nothing may read it outside of that loop.
inline std::string presence_of(const std::string& tensor) { return tensor + "_given"; }

}  // namespace tenon
