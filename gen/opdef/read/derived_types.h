// Types that follow from types as definitions write them: `wide(T)` becomes a type variable of that name.
#pragma once

#include <string>

#include "ir/op/op_def.h"
#include "support/diagnostics.h"

namespace tenon {

/// Declares the type variable that a word of this form needs; a function of a dtype becomes the dtype that it gives.
/// False after an error: its variable is unknown, or some dtype has no such type.
bool declare_derived_type(std::string& word, const SourceSpan& place, OpDef& op, Diagnostics& diagnostics);

}  // namespace tenon
