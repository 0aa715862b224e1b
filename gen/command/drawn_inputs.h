// Random inputs, in files, for a program that is timed.
#pragma once

#include <string>
#include <vector>

#include "ir/graph/graph.h"
#include "pipeline/run.h"

namespace tenon {

/// One .npy file an input of the graph in `folder`, of the largest extents: fractions between 0 and 1, integers 0 or 1.
/// Stops where a file cannot be written.
std::vector<std::string> drawn_inputs(const Graph& graph, const std::string& folder);

/// Writes a file for a program that is started next, or stops.
void write_for_program(const std::string& path, const std::string& bytes);

/// The .npy files of a call, in the order of the model's inputs.
using CallFiles = std::vector<std::string>;

/// The calls that DIR has files for: DIR/*.npy of a model with one input, DIR/INPUT/*.npy of others, in the order of
/// their names. A file with several examples along its first axis, where the model takes fewer, is cut into files in
/// `folder`. Stops where a file does not fit its input, or inputs have different numbers of them.
std::vector<CallFiles> calibration_calls(Run& run, const Graph& graph, const std::string& dir,
                                         const std::string& folder);

}  // namespace tenon
