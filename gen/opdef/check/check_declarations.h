// Checks of what an op declares: types, attributes, tensors' shapes, storage, and the keys that name these.
#pragma once

#include "ir/op/op_def.h"
#include "support/diagnostics.h"

namespace tenon {

/// Reports everything that is wrong with the op's declarations, apart from shapes and expressions.
void check_declarations(const OpDef& op, Diagnostics& diagnostics);

/// True if a literal fits the attribute (an element of it, when the attribute is a list).
bool value_fits(const AttrDef& attr, const Syntax& value);

}  // namespace tenon
