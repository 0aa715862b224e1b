// The key `tables` of an op.
#pragma once

#include "ir/op/op_def.h"
#include "support/diagnostics.h"
#include "support/yaml_document.h"

namespace tenon {

/// `tables: {W: {type: "f32[3]", values: [1, 2, 1]}}`, or `of: [k]` with a formula as values.
void read_tables(const YamlNode& node, OpDef& out, Diagnostics& diagnostics);

}  // namespace tenon
