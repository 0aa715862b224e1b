// Weights of contractions are laid out at generation as the register tiles read them.
#pragma once

#include "ir/execution_plan.h"

namespace tenon {

/// Every constant that is the right side of a contraction becomes panels: [outer…][columns / w][depth][w], w = 32 columns (16 where
/// there are no more), the last panel filled with 0. The kernel then reads panel n/w, depth k, column n%w: one layout for every ISA
/// level.
void prepack_weights(ExecutionPlan& plan);

}  // namespace tenon
