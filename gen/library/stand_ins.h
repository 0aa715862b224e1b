// Substitutes for absent optional inputs: a few numbers, so that one kernel serves both calls.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/op/op_def.h"

namespace tenon {

/// The elements that the body takes for an input that is not given: {0, 1} where it reads `opt(Roi[0], 0)` and
/// `opt(Roi[1], 1)`; {1} where all dimensions may be repeated and every read is `opt(W[…], 1)`: one element with
/// strides of 0. Empty where the shape depends on the call in another way, where two reads disagree, or where the input
/// is named in another way.
std::vector<int64_t> stand_in(const OpDef& def, const TensorDef& input);

/// Whether an input that is not given is one element with strides of 0, although its dimensions may not be repeated: a
/// term for each channel of a group. Kernels take the stride from the call.
bool repeats_stand_in(const OpDef& def, const TensorDef& input);

}  // namespace tenon
