// Which lets of a definition are extents.
#pragma once

#include <string>

#include "ir/op/op_def.h"

namespace tenon {

/// Whether a let is an extent, of a dim or of an index variable: it is an integer then, whatever it was computed from.
bool is_extent(const OpDef& def, const std::string& let);

}  // namespace tenon
