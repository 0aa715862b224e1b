// The typing rules of the notation: types of flexible literals, widening of integers, and which types may be combined.
#pragma once

#include <optional>
#include <string>

#include "library/scope.h"

namespace tenon {

/// Brings two operands to one type. Returns an explanation when the language forbids the pair (f32 next to f64, bool
/// next to float).
std::optional<std::string> unify(Typed& a, Typed& b);

/// `t` as type `to`: constants convert exactly where they can, anything else by a cast.
Expr convert(const Typed& t, DType to);

/// The value of a whole statement as the target's type; an explanation when a cast has to be written.
std::optional<std::string> assignable(const Typed& value, DType target);

/// Whether numbers of type `t` have the operation.
bool is_defined(ScalarOp op, DType t);

/// A condition; numbers are none.
std::optional<std::string> as_condition(Typed& t);

}  // namespace tenon
