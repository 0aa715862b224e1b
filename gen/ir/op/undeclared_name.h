// Names for what definitions do not say themselves.
#pragma once

#include <string>

#include "ir/op/op_def.h"

namespace tenon {

/// `wish`, or with underscores after it where the definition has that name already: of a tensor, an extent, an
/// attribute, a let, a range or a table.
std::string undeclared_name(const OpDef& def, std::string wish);

}  // namespace tenon
