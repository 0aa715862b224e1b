// The stages of `tenon model`: graph, kernels of its operators, plan, loop nests, C, files.
#pragma once

#include "ir/op/math_function.h"
#include "ir/op/op_def.h"
#include "pipeline/session.h"

namespace tenon {

/// Reads the graph and writes the model; returns the exit status.
int produce_model(Session& session, OpLibrary& defs, const MathLibrary& math, const ModelOptions& options);

/// What `tenon explain` says of a model: its kernels, or the memory as a table and as a picture.
struct ModelExplanation {
  bool memory = false;
  std::optional<std::string> svg;
  std::string kernel;  ///< this kernel alone; empty: all
};
/// Prints the explanation of the graph's plan at the levels chosen; returns the exit status.
int explain_model(Session& session, OpLibrary& defs, const MathLibrary& math, const ModelOptions& options,
                  const ModelExplanation& what);

/// `tenon run`: the model with its program in a temporary folder, compiled and started on the inputs. Status 3 if
/// compiling or running fails.
int run_model(Session& session, OpLibrary& defs, const MathLibrary& math, const RunOptions& options);

}  // namespace tenon
