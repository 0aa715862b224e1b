// What a reducer does with two values.
#pragma once

#include "ir/kernel/expr.h"

namespace tenon {

/// The row of the scalar table that combines two values of a reduction. Positions and folds have none.
ScalarOp step_of(Reducer reducer);

}  // namespace tenon
