// Dead code of a graph.
#pragma once

#include "ir/graph/graph.h"

namespace tenon {

/// The graph without nodes, constants, values and regions that no output needs. Inputs stay.
Graph without_unused(Graph graph);

}  // namespace tenon
