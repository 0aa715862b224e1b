// A graph that returns gradients next to its outputs.
#pragma once

#include <string>
#include <vector>

#include "ir/graph/graph.h"

namespace tenon {

/// Gradients of a value with respect to others, all by the names that the file has.
struct AskedGradients {
  std::string of;  ///< of all its elements together
  std::vector<std::string> wrt;
};

/// Appends a node that asks for them, and an output `grad(NAME)` for each. Empty, or why that cannot be, and then the
/// graph is as it was.
std::string ask_gradient(Graph& graph, const AskedGradients& asked);

}  // namespace tenon
