// Values of ops on constants: the stages library and oracle, as the frontends' OpSemantics::evaluate asks for them.
#pragma once

#include "frontend/graph/op_semantics.h"
#include "ir/op/op_def.h"
#include "library/bind_node.h"
#include "oracle/run_kernel.h"

namespace tenon {

/// Constants (nullptr = absent) as the operands of an op: what its kernel is made for, and the tensors that a run of it
/// reads.
struct ConstantOperands {
  explicit ConstantOperands(const std::vector<const TensorData*>& inputs);
  std::vector<GivenTensor> given;
  OracleCall call;
};

/// What a run of the op's kernel wrote, with the extents that it wrote too.
std::vector<TensorData> results_of(const BoundCall& op, OracleCall& run);

/// Results of `op` on constants, or a sentence that says why there are none.
ComputedTensors fold_node(const OpLibrary& defs, const std::string& op, const std::vector<const TensorData*>& inputs,
                          const Attributes& attrs);

}  // namespace tenon
