// A training graph as the two graphs that a program runs: the step, and the forward network.
#pragma once

#include "ir/graph/graph.h"

namespace tenon {

/// What a step computes: the loss, which is the first output, the gradients of the parameters, and the next state.
Graph step_graph(const Graph& training);

/// What validation computes: the loss, then the outputs of the network. The parameters are inputs.
Graph forward_graph(const Graph& training);

}  // namespace tenon
