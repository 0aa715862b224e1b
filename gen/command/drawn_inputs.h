// Random inputs, in files, for a program that is timed.
#pragma once

#include <string>
#include <vector>

#include "ir/graph/graph.h"

namespace tenon {

/// One .npy file an input of the graph in `folder`, of the largest extents: fractions between 0 and 1, integers 0 or 1.
/// Stops where a file cannot be written.
std::vector<std::string> drawn_inputs(const Graph& graph, const std::string& folder);

/// Writes a file that a program started next will read, or stops.
void write_for_program(const std::string& path, const std::string& bytes);

}  // namespace tenon
