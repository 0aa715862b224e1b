// The small scalar functions that kernels call, as templates/scalar has them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/number/dtype.h"

namespace tenon {

/// A C function for the dtypes whose letter is in `types`: s signed, u unsigned integers, f float, d double, c complex
/// of floats, z complex of doubles. Holes: $T the type, $U the unsigned type of its width, $W that type or uint32_t
/// where it is narrower, $B the bits, $R the real type, $S the suffix of its literals (f or nothing), $(function) the
/// function for the same type, $(function:dtype) for another.
struct ScalarFunction {
  std::string name, types, result;
  std::vector<std::string> params;
  std::string body;
};

class ScalarFunctions {
 public:
  /// Reads the functions of each text: a line `//= TYPES`, then the function. A malformed one ends the program.
  explicit ScalarFunctions(const std::vector<std::string>& texts);
  /// Null if there is none for this type.
  const ScalarFunction* find(std::string_view name, DType) const;

 private:
  std::vector<ScalarFunction> functions_;
};

}  // namespace tenon
