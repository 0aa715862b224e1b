// The interpreter of loop nests: what a nest computes, lane by lane, with every access checked. Tests of lowering
// compare it with run_kernel.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/nest/loop_nest.h"
#include "oracle/number.h"
#include "oracle/run_kernel.h"

namespace tenon {

/// How a run ended.
struct NestRun {
  OracleStatus status = OracleStatus::Done;
  std::string fault;  ///< an access outside of its buffer, which ended the run; "" for none
};

/// How much a run computed: applications of each scalar function, elements read and written, passes of loops. A vector
/// counts as its lanes.
struct NestWork {
  std::map<ScalarOp, int64_t> applied;
  int64_t loads = 0, stores = 0, passes = 0;
};

/// Runs the nest with the sizes, attributes and inputs of `call`, and makes its outputs. Values are rounded to their
/// type after every operation, as compiled code rounds them; elementary functions are those of run_kernel, rounded
/// once. Shared loops run in order. Memory that is not written holds bytes that no kernel expects. Unknown: the nest
/// calls a C template.
NestRun run_nest(const LoopNest& nest, OracleCall& call, NestWork* work = nullptr);

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
