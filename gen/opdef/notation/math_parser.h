// The notation of math entries: one expression over floats, their bits and conditions, with every type known while it
// is read.
//
//   expr := or-chain of and-chains of [not] comparisons of | of ^ of & of shifts of sums of products of [-~] primaries
//   primary := number (with a point or exponent: float, else integer) | inf | nan | name | name '(' expr,* ')' | '('
//   expr ')'
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ir/op/math_function.h"
#include "support/diagnostics.h"
#include "support/yaml_document.h"

namespace tenon {

/// What a call needs to know of a function; null (after a report) when there is none.
using MathLookup = std::function<const MathFunction*(const std::string& name, const SourceSpan& place)>;

/// The entry whose text is read.
struct MathScope {
  DType dtype = DType::F32;
  std::map<std::string, MathType> names;
  MathLookup lookup;
};

/// Statements, one a line; a line that ends inside parentheses goes on. Adds what they define to the scope. False after
/// a report.
bool parse_math_steps(const PlacedText& text, MathScope& scope, std::vector<MathStep>& out, Diagnostics& diagnostics);
/// One expression.
bool parse_math_expression(const PlacedText& text, MathScope& scope, MathExpr& out, Diagnostics& diagnostics);

}  // namespace tenon
