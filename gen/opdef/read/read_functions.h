// Scalar rows and scalar functions: the keys `scalar` and `fn` of a file.
#pragma once

#include <vector>

#include "ir/op/op_def.h"
#include "support/diagnostics.h"
#include "support/yaml_document.h"

namespace tenon {

std::vector<ScalarRow> read_scalar_rows(const YamlNode& node, Diagnostics& diagnostics);
std::vector<ScalarFn> read_functions(const YamlNode& node, Diagnostics& diagnostics);

}  // namespace tenon
