// Graphs made of a graph: without dead code, cut off at a value, with gradients, with state, for several processes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/graph/graph.h"
#include "support/c_names.h"

namespace tenon {

/// Collects the names in use: sizes, values, values added for outputs, and nodes.
void take_names(const Graph& graph, CNames& values, CNames& nodes);

/// The graph without nodes, constants, values and regions that no output needs. Inputs stay.
Graph without_unused(Graph graph);

/// The graph whose only output is the value of that name, as the file or as C spells it, without the operators that it
/// does not need; all inputs stay. Nothing where there is no such value outside of loops and branches.
std::optional<Graph> graph_until(const Graph& graph, const std::string& value);

/// Names of the values that it can be cut off at, in the order of the graph.
std::vector<std::string> values_to_see(const Graph& graph);

/// Gradients of a value with respect to others, all by the names that the file has.
struct AskedGradients {
  std::string of;  ///< of all its elements together
  std::vector<std::string> wrt;
};

/// Appends a node that requests them, and an output `grad(NAME)` for each. Empty, or an error, in which case the graph
/// is unchanged.
std::string ask_gradient(Graph& graph, const AskedGradients& asked);

/// Makes the output replace the input after each call; both are named as in the file. Empty, or an error, in which case
/// the graph is unchanged.
std::string keep_state(Graph& graph, const std::string& input, const std::string& output);

/// The graph of a first call: states are constants with their initial contents, and what replaces them is no output.
Graph first_call(const Graph& graph);

/// States that every step may have next to those of its parameters: the number of steps that were done, and the seed of
/// the run. No parameter has such a name.
inline constexpr const char *kStepState = "tenon.step", *kSeedState = "tenon.seed";

/// States of a step with dynamic loss scaling: the scale, the steps since it changed, and the number of updates.
inline constexpr const char *kScaleState = "tenon.loss_scale", *kScaleAgeState = "tenon.loss_scale.age",
                            *kUpdatesState = "tenon.updates";

/// Suffix of a parameter's running mean, which validation reads in its place.
inline constexpr const char* kAverageState = ".average";

/// What a step computes: the loss, which is the first output, the gradients of the parameters, and the next state.
Graph step_graph(const Graph& training);

/// The op of a node that copies its f32 or f64 operand and has the context replace the copy by the mean over the
/// processes. No definition has this name.
inline constexpr const char* kAllReduceOp = "all_reduce";

/// The step of a training graph as one of several processes: the loss, which is the first output, the gradients, and
/// the parameters that the network itself replaces become means before anything reads them.
Graph with_all_reduce(Graph step);

}  // namespace tenon
