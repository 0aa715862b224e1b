// The files of a generated model.
#pragma once

#include <string>
#include <vector>

#include "harness/model/model_code.h"

namespace tenon {

/// NAME.h
std::string public_header(const ModelCode& code);
/// NAME_internal.h
std::string internal_header(const ModelCode& code);

/// NAME.c of a generated model: the function that a caller calls, which checks its arguments and runs the best level.
std::string entry_source(const ModelCode& code);

/// NAME_LEVEL.c: the kernels and steps of a level.
std::string level_source(const ModelCode& code, const ModelLevel& level);
/// NAME_level.c: the choice of a level.
std::string level_choice_source(const ModelCode& code);

/// MANIFEST.json of a generated model: its tensors, sizes, memory, kernels and sources.
std::string model_manifest(const ModelCode& code, const std::vector<std::string>& sources);

}  // namespace tenon
