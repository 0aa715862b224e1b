// MANIFEST.json of a generated model: its tensors, sizes, memory, kernels and sources.
#pragma once

#include <string>
#include <vector>

#include "harness/model/model_code.h"

namespace tenon {

std::string model_manifest(const ModelCode& code, const std::vector<std::string>& sources);

}  // namespace tenon
