// Conditions that are bounds of a loop.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algebra/linear.h"
#include "ir/kernel/kernel.h"

namespace tenon {

/// v >= limit, or v < limit.
struct VariableBound {
  bool from = false;
  Expr limit;
};

/// What a comparison of an index variable with something else says.
std::optional<VariableBound> bound_of(const Expr& condition, const std::string& v);

/// The statement's value is a reduction over all elements up to (backwards: from) loop variable `loop`, with the
/// element itself or not.
struct Scan {
  size_t loop = 0;  ///< index into the statement's loops
  bool backwards = false;
  bool exclusive = false;
};

std::optional<Scan> recognise_scan(const KernelStatement&, const Ranges& sizes);

/// The limit that a comparison of integers sets to `var`, which is in it once; nothing where it sets none.
std::optional<VariableBound> linear_bound(const Expr& where, const std::string& var);

}  // namespace tenon
