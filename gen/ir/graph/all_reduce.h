// What several processes that train together exchange in a step.
#pragma once

#include "ir/graph/graph.h"

namespace tenon {

/// The op of a node that copies its f32 or f64 operand and has the context replace the copy by the mean over the
/// processes. No definition has this name.
inline constexpr const char* kAllReduceOp = "all_reduce";

/// The step of a training graph as one of several processes: the loss, which is the first output, the gradients, and
/// the parameters that the network itself replaces become means before anything reads them.
Graph with_all_reduce(Graph step);

}  // namespace tenon
