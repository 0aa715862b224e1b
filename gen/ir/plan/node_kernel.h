// The kernel of one operator of a graph, before fusion.
#pragma once

#include <vector>

#include "ir/graph/graph.h"
#include "ir/kernel/kernel.h"

namespace tenon {

/// An operator's kernel and, per tensor of it, the value that it is; kNoValue for what no other operator sees.
struct NodeKernel {
  Kernel kernel;
  std::vector<ValueId> values;
};

}  // namespace tenon
