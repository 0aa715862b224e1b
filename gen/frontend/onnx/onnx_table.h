// The table that maps ONNX operators to definitions: rows of YAML, each with a recipe.
//
//   same: {Relu: relu, …}             an operator that is a definition: inputs by place, no attributes; `Add since 7:
//   add` from an opset on functions: {name(a, b): recipe}   host functions and modules for the recipes below
//   by_element: Add CastLike/1 …      operators whose operands (the first one alone) have the shape of the result
//   rows:
//     - onnx: Clip                    operator; `domain:` where it is not ONNX's own
//       since: 11                     first opset that the row describes, until a later row of the operator
//       in: X lo? hi?                 names for the inputs; `?` optional, `...` any number (a list)
//       attrs: {axis: 0, perm: }      attributes with their defaults; empty = absent, `!` instead of a default =
//       required,
//                                     `dtype` = required, and an element type; `table` = what tree_tables reads
//       when: known(lo, hi)           the first row whose condition holds is taken
//       do: clip(X, …)                the recipe
//       out: Y Mask                   names in the recipe of the outputs, where they are not the recipe's value
//
// Recipes see the inputs, the attributes, `outputs` (how many the node names), `stated` (per output the shape in the
// file, or none) and `opset`.
#pragma once

#include <map>

#include "frontend/recipe/run_recipe.h"
#include "support/source_span.h"
#include "support/yaml_document.h"

namespace tenon {

struct OnnxInput {
  std::string name;
  bool optional = false;
  bool variadic = false;
};

struct OnnxAttribute {
  std::string name;
  RecipeValue fallback;
  bool required = false;
  bool dtype = false;  // a number of an ONNX element type, a dtype in the recipe
  bool table = false;  // no value of the recipe, but part of the tables that a host function makes
};

struct OnnxRow {
  std::string op, domain;
  int since = 1;
  std::string op_argument;  // what `op` stands for in the recipe, in rows for several operators
  std::vector<OnnxInput> inputs;
  std::vector<OnnxAttribute> attrs;
  std::optional<RecipeExpr> when;
  std::vector<RecipeStatement> recipe;
  PlacedText recipe_text;
  std::vector<std::string> outputs;  // empty: the recipe's value
  std::string same;                  // definition of the same inputs, instead of a recipe
  SourceSpan span;
};

struct OnnxTable {
  std::vector<OnnxRow> rows;  // in order of the files
  RecipeFunctions functions;
  std::map<std::string, int>
      by_element;  // operators whose result has the shape of their operands, and how many of these count
};

/// Reads the files of the table. All mistakes in them are reported.
Result<OnnxTable> read_onnx_table(const std::vector<SourceFileRef>& files);

/// The rows for an operator in this opset: those with the maximum `since` that is not above it. Empty if there are
/// none; `known` says whether the operator has rows at all.
std::vector<const OnnxRow*> onnx_rows(const OnnxTable& table, const std::string& op, const std::string& domain,
                                      int opset, bool& known);

/// The operator with rows whose name is nearest; "" if none is near.
std::string nearest_operator(const OnnxTable& table, const std::string& op);

}  // namespace tenon
