// Graphs in files, with values from a seed: what random graphs found once.
#pragma once

#include <filesystem>
#include <optional>

#include "ir/op/op_def.h"
#include "random_graphs/random_graph.h"

namespace tenon_test {

/// The graph of a YAML file: whole inputs between -1 and 1, real ones between -2 and 2. Nothing, with a message, where
/// it cannot be read or its operators refuse these values.
std::optional<RandomGraph> known_graph(const OpLibrary& defs, const std::filesystem::path& file);

}  // namespace tenon_test
