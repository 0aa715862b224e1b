// Weights of contractions are laid out at generation as the register tiles read them.
#pragma once

#include "ir/plan/execution_plan.h"

namespace tenon {

/// Every constant that is the right side of a contraction becomes panels: [outer…][columns / w][depth][w], w the
/// columns that fill a cache line, the last panel filled with 0. The kernel then reads panel n/w, depth k, column n%w:
/// one layout for every ISA level. Wider panels would leave levels with narrower tiles half of each two lines, and so
/// half of the sets of their caches. Convolutions of floats come to sum over their channels last. `quads`: panels of
/// bytes have words of four after those of two (BytePanel).
void prepack_weights(ExecutionPlan& plan, bool quads);

}  // namespace tenon
