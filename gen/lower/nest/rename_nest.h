// Statements of a nest moved into another: buffers by new numbers, sizes that have become variables, functions next to
// others.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/nest/loop_nest.h"

namespace tenon {

struct NestRenaming {
  std::vector<int> buffers;                           ///< per old number the new one
  std::vector<int> functions;                         ///< the same
  std::map<std::string, Operand> sizes;               ///< what sizes have become
  std::map<std::string, std::string> variables = {};  ///< new names of variables
  std::map<int, Operand> shifts = {};                 ///< per old buffer: how much farther all that is touched lies
};

Operand renamed(const Operand& value, const NestRenaming& by);
Block renamed(const Block& block, const NestRenaming& by);
/// Adds `more` to `all`, less those that it has already; a function of another text under a known name gets a name
/// of its own. The number of each in `all`.
std::vector<int> merge_functions(const std::vector<InnerFunction>& more, std::vector<InnerFunction>& all);

}  // namespace tenon
