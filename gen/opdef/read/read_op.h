// The entries of a definition file: ops, members of families, scalar rows and functions, each from its YAML map.
#pragma once

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

/// Declares the type variable that a word of this form needs; a function of a dtype becomes the dtype that it gives.
/// False after an error: its variable is unknown, or some dtype has no such type.
bool declare_derived_type(std::string& word, const SourceSpan& place, OpDef& op, Diagnostics& diagnostics);

/// `tables: {W: {type: "f32[3]", values: [1, 2, 1]}}`, or `of: [k]` with a formula as values.
void read_tables(const YamlNode& node, OpDef& out, Diagnostics& diagnostics);

/// The entries of a family that are members: a name and what fills the template.
std::vector<const YamlEntry*> family_members(const YamlNode& family, Diagnostics& diagnostics);

/// A member as the map of an op of its own: the family's keys with every `$hole` filled from the member's keys, and the
/// member's own keys over them. Filled text keeps its places: what came from the member points into the member.
YamlNode expand_member(const YamlNode& family, const YamlEntry& member, Diagnostics& diagnostics);

/// Scalar rows and scalar functions: the keys `scalar` and `fn` of a file.
std::vector<ScalarRow> read_scalar_rows(const YamlNode& node, Diagnostics& diagnostics);
std::vector<ScalarFn> read_functions(const YamlNode& node, Diagnostics& diagnostics);

}  // namespace tenon
