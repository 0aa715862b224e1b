// Weights of a graph in YAML: from files next to it, or made by an op.
#pragma once

#include "frontend/graph/graph_builder.h"
#include "support/diagnostics.h"
#include "support/recipe_syntax.h"

namespace tenon {

/// Where a parameter's contents come from.
struct ParameterSource {
  std::string from;    // a file's name or a call
  std::string name;    // in the file
  std::string folder;  // that the file is in
  std::optional<TensorType> type;
  uint64_t position = 0;  // among the parameters: the seed of random ones that state none
};

/// Errors in a parameter's file, under the code of the readers of such files.
struct ParameterFileError : RecipeError {
  explicit ParameterFileError(const Diagnostic& d) : RecipeError(0, d.message), code(d.code), notes(d.notes) {}
  Code code;
  std::vector<std::string> notes;
};

/// The contents. Throws ParameterFileError, and RecipeError (with offsets in `from`) for what cannot be read, made, or
/// is not of the type stated.
TensorData read_parameter(const ParameterSource& source, const OpSemantics& semantics);

/// The path of the file that holds the contents; nothing where they are made.
std::optional<std::string> parameter_file(const ParameterSource& source);

}  // namespace tenon
