// A call of an op in a recipe becomes a node of the graph.
#pragma once

#include "frontend/graph/graph_builder.h"
#include "frontend/recipe/run_recipe.h"

namespace tenon {

struct RecipeKeyword {
  std::string name;
  RecipeValue value;
  size_t offset = 0;
};

struct RecipeCall {
  std::string op;
  RecipeList args;                      // by place: inputs, then attributes in the definition's order
  std::vector<RecipeKeyword> keywords;  // inputs and attributes by name; none = left out
  size_t wanted = 1;                    // results that the caller names
  size_t offset = 0;
};

/// Adds the node. A number passed for a tensor becomes a constant of the dtype of the first tensor. Returns the
/// tensor, or a list where `wanted` is not 1. Throws RecipeError.
RecipeValue call_op(RecipeContext& context, const RecipeCall& call);
/// The same for the op of this name, whatever `context.form` says.
RecipeValue call_named_op(RecipeContext& context, const RecipeCall& call);

/// Puts a `stretch_ones` before each input of an op whose extents may be 1 where those of another input are larger.
/// Throws GraphError.
void stretch_open_extents(GraphBuilder& builder, const OpSignature& signature, std::vector<ValueId>& inputs);

}  // namespace tenon
