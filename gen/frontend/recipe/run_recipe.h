// Runs a recipe: host values are computed, calls of ops become nodes of the graph.
#pragma once

#include <functional>
#include <map>

#include "frontend/graph/graph_builder.h"
#include "frontend/recipe/recipe_value.h"
#include "support/recipe_syntax.h"

namespace tenon {

using RecipeScope = std::map<std::string, RecipeValue>;

struct RecipeCall;

/// A recipe's inner functions see the graph through this.
struct RecipeContext {
  GraphBuilder& builder;
  const RecipeFunctions& functions;
  /// Names that all functions know, unless a parameter hides them; absent: none.
  const RecipeScope* common = nullptr;
  /// Names the place of a node, where it is the text's; otherwise the builder's origin stays.
  std::function<std::string(size_t offset)> origin = nullptr;
  /// Calls a graph that an attribute holds; its text begins with kGraphCallee. Where there is none, no recipe has such
  /// a text.
  std::function<RecipeList(const std::string& callee, const RecipeList& args)> call_graph = nullptr;
  /// Warns that the result is not exactly what the text asks for; absent: no warning.
  std::function<void(const std::string& message)> warn = nullptr;
  /// Makes the node of a call if training changes the meaning of op names; absent: names mean themselves.
  std::function<RecipeValue(RecipeContext& context, const RecipeCall& call)> form = nullptr;
  /// Tables of an ensemble of trees, from the attributes of the node; only where there is one.
  std::function<RecipeList(DType dtype, int64_t targets, double otherwise)> tree_tables = nullptr;
  bool names_values = false;  // results get the names on the left
  int depth = 0;              // of inlined calls
  int calls = 0;              // inlined within the outermost one
  size_t outermost = 0;       // place of the first of these
};

/// The value that represents a graph in an attribute, for apply: this prefix and the attribute's name. No op has such a
/// name.
inline constexpr const char* kGraphCallee = "graph ";

/// Runs all statements in `scope`, which receives what they define. Returns the value of the last one. `wanted` is the
/// number of results that a call in the last statement has to have where it is not an assignment. Throws RecipeError.
RecipeValue run_recipe(RecipeContext& context, const std::vector<RecipeStatement>& recipe, RecipeScope& scope,
                       size_t wanted = 1);

/// A call of `function` by `name` at `offset`, for `wanted` results.
struct FunctionCall {
  const std::string& name;
  const RecipeFunction& function;
  size_t offset = 0;
  size_t wanted = 1;
};

/// Runs the body of the function, with its parameters in `scope`. Throws RecipeError, which says whether its offset is
/// that of the call or one of the body.
RecipeValue run_function(RecipeContext& context, const FunctionCall& call, RecipeScope& scope);

/// The value of one expression. Throws RecipeError.
RecipeValue evaluate_recipe(RecipeContext& context, const RecipeExpr& expr, RecipeScope& scope, size_t wanted = 1);

struct RecipeKeyword;

/// A call in a recipe: `wanted` is the number of results that it names.
struct HostArguments {
  const RecipeList& args;
  const std::vector<RecipeKeyword>& keywords;
  size_t wanted = 1;
};

/// Host functions: shape, rank, value, range … Returns whether `name` is one that takes these keywords; throws
/// RecipeError at `offset`.
bool call_host_function(RecipeContext& context, const std::string& name, const HostArguments& given, size_t offset,
                        RecipeValue& result);

/// Names of the host functions, for "did you mean".
std::vector<std::string> host_functions();

}  // namespace tenon
