// Conditions that are bounds of a loop.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/kernel/kernel.h"

namespace tenon {

/// v >= limit, or v < limit.
struct VariableBound {
  bool from = false;
  Expr limit;
};

/// The conditions that `e` joins by `and`.
std::vector<Expr> conjuncts(const Expr& e);
/// All of them at once; null if there are none.
Expr conjunction(const std::vector<Expr>& conditions);
/// What a comparison of an index variable with something else says.
std::optional<VariableBound> bound_of(const Expr& condition, const std::string& v);

}  // namespace tenon
