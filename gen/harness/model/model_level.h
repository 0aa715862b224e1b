// The sources of a generated model's levels: its steps at each of them, and the choice between them.
#pragma once

#include <string>

#include "harness/model/model_code.h"

namespace tenon {

/// NAME_LEVEL.c: the kernels and steps of a level.
std::string level_source(const ModelCode& code, const ModelLevel& level);
/// NAME_level.c: the choice of a level.
std::string level_choice_source(const ModelCode& code);

}  // namespace tenon
