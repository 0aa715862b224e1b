// Random graphs with gradients in them: derivatives along directions, next to differences of what the oracle says.
#pragma once

#include <optional>
#include <random>

#include "random_graphs/run_graph.h"

namespace tenon_test {

/// The graph with a sum of its outputs, the gradients of that with respect to what it is made of, and as outputs their
/// products with random directions. A limit is NaN where differences along a direction say nothing, as next to a kink.
/// Nothing where no output depends on an operand in f64.
std::optional<KnownRun> with_gradients(const OpLibrary& defs, const RandomGraph& graph, std::mt19937_64& rng);

}  // namespace tenon_test
