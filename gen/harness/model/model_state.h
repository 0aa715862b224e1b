// The state of a model in C: its constants, its initial contents, and the copies at the end of a call.
#pragma once

#include <string>

#include "harness/model/model_buffers.h"
#include "harness/model/model_output.h"

namespace tenon {

/// `text` where the model keeps state, else nothing.
std::string state_text(const ExecutionPlan& plan, std::string text);
/// The offset of each tensor, for the header.
/// NET_STATE_OFFSET_x: where a tensor of the state begins.
std::string state_offset(const PlanBuffer& held, const std::string& upper);
std::string state_offsets(const ExecutionPlan& plan, const std::string& upper);
/// NAME_state_init of a model that keeps state.
CFunction state_init_function(const ExecutionPlan& plan, const ModelFrame& frame, const ModelWeights& weights);
/// The checks of a call on it.
CBlock state_checks(const ExecutionPlan& plan, const std::string& upper);
/// New contents that are not written in place, at the end of a call.
CBlock state_copies(const ExecutionPlan& plan, const ModelBuffers& buffers);

}  // namespace tenon
