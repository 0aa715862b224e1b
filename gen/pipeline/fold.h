// Values of ops on constants: the stages library and oracle, as the frontends' OpSemantics::evaluate asks for them.
#pragma once

#include "frontend/op_semantics.h"
#include "ir/op_def.h"

namespace tenon {

/// Results of `op` on constants, or a sentence that says why there are none.
ComputedTensors fold_node(const OpLibrary& defs, const std::string& op, const std::vector<const TensorData*>& inputs, const Attributes& attrs);

}  // namespace tenon
