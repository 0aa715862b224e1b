// Names of generated libraries: C identifiers of what definitions name, and dtypes as the header spells them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/kernel/library.h"
#include "support/c_names.h"

namespace tenon {

/// A definition's name as a C identifier that collides with nothing in the generated functions.
std::string c_identifier(std::string_view name);
/// "TN_F32"
std::string dtype_constant(DType d);
/// The C type of elements; complex types carry the prefix.
std::string element_type(DType d, const std::string& prefix);
/// Text of the user's in which with_prefix renames nothing.
std::string verbatim(std::string text);
/// Replaces the prefix `tn_` / `TN_` at the start of identifiers, except in verbatim text.
std::string with_prefix(std::string text, const std::string& prefix);
/// The family's name, or the op's own: what its source files are called.
std::string family_of(const OpDef& def);
/// Positions of `def.types` by name; -1 where it is not a type variable.
int type_variable(const OpDef& def, std::string_view name);
/// The kernels of an op that have a body of their own: position of each LibraryKernel's body, in order of appearance.
std::vector<int> body_of_kernels(const LibraryOp& op);

}  // namespace tenon
