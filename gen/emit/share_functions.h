// Merges functions of a file that differ only in numbers; the numbers become parameters.
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

/// Merges functions whose text is the same except for names, comments and CNumbers. Numbers that affect how a compiler
/// translates a loop or a division have to be equal: small ones, divisors, and trip counts of innermost loops.
SharedFunctions share_functions(std::vector<CFunction> functions);

}  // namespace tenon
