// Values that the attributes and sizes of a call choose or leave out.
#pragma once

#include "differentiate/back_propagate.h"

namespace tenon {

/// A value that is 0 unless `where` holds, which is the same for all elements of a call.
struct ChosenByCall {
  Expr where, value;
};

/// Nothing where the value is not of that kind. What the call leaves out need not be finite: a product with its 0
/// would be NaN, so that it has to be left out, not multiplied.
std::optional<ChosenByCall> chosen_by_call(const Expr& value);

/// The contribution with such a choice as its condition.
Contribution with_condition(Contribution c);

}  // namespace tenon
