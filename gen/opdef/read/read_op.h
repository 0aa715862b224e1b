// One op from its YAML map.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/op/op_def.h"
#include "support/diagnostics.h"
#include "support/yaml_document.h"

namespace tenon {

/// Every key of an op.
const std::vector<std::string>& op_keys();

/// Fills `out` from the op's map, whose name was read already. Reports what does not parse and goes on. False if its
/// tensors are not whole, so that a check of shapes and body would only repeat that.
bool read_op(const YamlNode& map, OpDef& out, Diagnostics& diagnostics);

/// The keys that say how to generate and test an op: numerics, expand, tests.
void read_numerics(const YamlNode& node, Numerics& out, Diagnostics& diagnostics);
void read_expand(const YamlNode& node, OpDef& op, Diagnostics& diagnostics);
void read_tests(const YamlNode& node, OpDef& out, Diagnostics& diagnostics);
/// One entry of `tests`, appended to the op's.
void read_test(const YamlNode& node, OpDef& op, Diagnostics& diagnostics);

}  // namespace tenon
