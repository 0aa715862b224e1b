// The steps of bind_shapes: types, packs, conditions.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/kernel/expr.h"
#include "ir/kernel/kernel.h"
#include "ir/op/op_def.h"
#include "library/scope.h"
#include "library/shape_binder.h"

namespace tenon {

/// Binds the type variables, also those from which only one type leads to a given one; the reason where the inputs do
/// not fit together or are of types that the op does not take.
std::optional<std::string> bind_types(const OpDef& def, const std::vector<std::optional<DType>>& given,
                                      Binding& binding);

struct PackMisfit {
  std::string why;
  std::string advice = {};  ///< beyond that of the call's arguments
};

/// Why the callee of `scope` cannot take its arguments at every rank; nothing if it can. A kernel has one dim for a
/// whole pack, or the maximum number of dims, so the callee may not count or address single dims of it. `met`: extents
/// that the signature takes to be equal.
std::optional<PackMisfit> misfit_of_packs(const OpLibrary& library, const Scope& scope,
                                          const std::vector<std::optional<std::vector<Expr>>>& inputs,
                                          const std::vector<std::pair<Expr, Expr>>& met);

/// Whether a let is an extent, of a dim or of an index variable: it is an integer then, whatever it was computed from.
bool is_extent(const OpDef& def, const std::string& let);

/// The kernel returns the status unless `holds`, a condition on sizes and attributes, is true; `what` says so in a
/// comment. Nothing where the condition always is true, or is asked for already.
void require_sizes(Kernel& kernel, const Expr& holds, std::string what, CheckStatus status = CheckStatus::Shape);

/// Records the condition as an equality of extents: a <= b is max(a, b) == b. False if extents cannot express it.
bool take_as_true(const Expr& condition, ShapeBinder& shapes);

}  // namespace tenon
