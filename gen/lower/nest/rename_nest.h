// Statements of a nest moved into another: buffers by new numbers, sizes that have become variables, functions next to
// others.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/kernel/expr.h"
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
/// Adds `more` to `all`, except for existing ones; a different function with a known name is renamed. Returns the
/// number of each in `all`.
std::vector<int> merge_functions(const std::vector<InnerFunction>& more, std::vector<InnerFunction>& all);

/// The workspace that a call has to bring where a case and the nest both need some.
enum class CaseWorkspace : uint8_t {
  common,   ///< as much as either needs
  by_call,  ///< as much as the body needs that runs
};

/// Adds the body of `one`, lowered for the same level from a kernel with the same tensors: it runs where `holds`, over
/// sizes and attributes, is true.
void add_case(const Expr& holds, const LoopNest& one, CaseWorkspace workspace, LoopNest& nest);

/// The value of an expression without tensors and variables.
Operand size_number(const Expr& e);

}  // namespace tenon
