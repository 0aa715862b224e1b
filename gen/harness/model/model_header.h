// The headers of a generated model: its interface, and what its sources share.
#pragma once

#include <string>

#include "harness/model/model_code.h"

namespace tenon {

/// NAME.h
std::string public_header(const ModelCode& code);
/// NAME_internal.h
std::string internal_header(const ModelCode& code);

}  // namespace tenon
