// Functions of a file that differ in numbers alone become one, with the numbers as parameters.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ir/nest/c_ast.h"

namespace tenon {

/// How a function is called: its name, and what follows the arguments that it had.
struct SharedCall {
  std::string name;
  std::vector<int64_t> numbers;
};

struct SharedFunctions {
  std::vector<CFunction> functions;         ///< in the order of the first of each
  std::map<std::string, SharedCall> calls;  ///< of every function there was, by its name
};

/// Functions whose text is the same but for names, comments and CNumbers are one. Numbers that decide how a compiler
/// writes a loop or a division have to be the same: small ones, divisors, and how often an innermost loop runs.
SharedFunctions share_functions(std::vector<CFunction> functions);

}  // namespace tenon
