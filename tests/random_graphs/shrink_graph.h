// A smaller graph with the same finding.
#pragma once

#include <functional>

#include "random_graphs/random_graph.h"

namespace tenon_test {

/// Takes away outputs, puts inputs in the place of what operators make, as long as `fails` holds of the smaller graph.
RandomGraph shrink_graph(RandomGraph graph, const std::function<bool(const RandomGraph&)>& fails);

}  // namespace tenon_test
