// The type variables of a definition from the dtypes of a call's inputs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/op/op_def.h"
#include "library/scope.h"

namespace tenon {

/// Binds the type variables, also those from which only one type leads to a given one; the reason where the inputs do
/// not fit together or are of types that the op does not take.
std::optional<std::string> bind_types(const OpDef& def, const std::vector<std::optional<DType>>& given,
                                      Binding& binding);

}  // namespace tenon
