// Values of the interpreter of loop nests: one number a lane, and what operations make of them.
#pragma once

#include <vector>

#include "ir/nest/loop_nest.h"
#include "oracle/number.h"

namespace tenon {

struct NestValue {
  OperandType type;
  std::vector<Number> lanes;
};

/// The number as a variable of the type holds it.
Number rounded_to(const Number& v, DType type);
/// A row of the scalar table, lane by lane, rounded.
NestValue apply_lanes(ScalarOp op, const std::vector<NestValue>& args, OperandType type);
/// All lanes to one: halves are combined until one lane is left.
NestValue fold_lanes(Reducer op, const NestValue& v);

}  // namespace tenon
