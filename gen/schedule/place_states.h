// States in place: kernels that write the new contents of a state over the old ones.
#pragma once

#include "ir/plan/execution_plan.h"

namespace tenon {

/// What replaces a state becomes a view of it where nothing reads the old contents after they are overwritten; copies
/// of a whole state that are then changed element by element become changes of the state itself. Views are placed.
void place_states(ExecutionPlan& plan);

}  // namespace tenon
