// Packs of any rank that the body of a library's op hands to ops that it calls.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/op/op_def.h"
#include "library/scope.h"

namespace tenon {

struct PackMisfit {
  std::string why;
  std::string advice = {};  ///< beyond that of the call's arguments
};

/// Why the callee that `scope` is of cannot take what it is given at every rank; nothing where it can. A kernel has one
/// dim for all of a pack, or the most that there can be, so dims may not be counted over it or taken one by one.
/// `met`: extents that the signature takes to be equal.
std::optional<PackMisfit> misfit_of_packs(const OpLibrary& library, const Scope& scope,
                                          const std::vector<std::optional<std::vector<Expr>>>& inputs,
                                          const std::vector<std::pair<Expr, Expr>>& met);

}  // namespace tenon
