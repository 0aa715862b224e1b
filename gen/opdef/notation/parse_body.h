// The notation: text of expressions, statements and shapes into syntax trees. Errors carry their exact place.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/op/op_def.h"
#include "support/diagnostics.h"
#include "support/yaml_document.h"

namespace tenon {

/// Statements, one a line; a line that ends inside brackets goes on. Of one that does not parse, which is reported, the
/// names on its left remain, as a call without an op. `extents`: the names that `name = expression` may be of.
std::vector<Statement> parse_body(const PlacedText& text, Diagnostics& diagnostics,
                                  const std::set<std::string>& extents = {});

/// One expression; false (and a report) if it does not parse.
bool parse_expression(const PlacedText& text, Syntax& out, Diagnostics& diagnostics);

/// `M=100, N=37, perm=[1, 0]` as keyword nodes; false (and a report) if it does not parse.
bool parse_bindings(const PlacedText& text, std::vector<Syntax>& out, Diagnostics& diagnostics);

/// A tensor's type, `T[N, *P, (a b)]`: fills dtype, dtype_span and dims.
bool parse_tensor_type(const PlacedText& text, TensorDef& out, Diagnostics& diagnostics);

/// An attribute's `int[2] = 1`: fills kind (type_variable for words that are no type of attributes), count and default.
bool parse_attr_type(const PlacedText& text, AttrDef& out, Diagnostics& diagnostics);

}  // namespace tenon
