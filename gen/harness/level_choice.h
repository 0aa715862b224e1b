// The choice of an instruction-set level at run time, in libraries and models.
#pragma once

#include <vector>

#include "ir/nest/isa.h"
#include "support/text_template.h"

namespace tenon {

/// For runtime/library_level.c.in: a function per level that says whether the processor runs it, and the rows of the
/// table of levels.
std::vector<HoleValue> level_choice_holes(const std::vector<const Isa*>& levels);

}  // namespace tenon
