// NAME.c of a generated model: the function that a caller calls, which checks its arguments and runs the best level.
#pragma once

#include <string>

#include "harness/model/model_code.h"

namespace tenon {

std::string entry_source(const ModelCode& code);

}  // namespace tenon
