// The library of definitions as the frontends see it: signatures and result types of its ops, and values of constant
// calls.
#pragma once

#include <functional>

#include "frontend/graph/op_semantics.h"
#include "ir/op/op_def.h"

namespace tenon {

/// Semantics of all ops of `library`, which has to outlive it. `evaluate` computes a call on constants; empty = nothing
/// is computed before run time but extents.
OpSemantics library_semantics(
    const OpLibrary& library,
    std::function<ComputedTensors(const std::string& op, const std::vector<const TensorData*>& inputs,
                                  const Attributes& attrs, size_t wanted)>
        evaluate = nullptr);

}  // namespace tenon
