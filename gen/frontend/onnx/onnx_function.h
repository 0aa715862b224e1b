// Functions that an ONNX model defines itself.
#pragma once

#include <vector>

#include "frontend/onnx/onnx.pb.h"
#include "ir/graph/graph.h"

namespace tenon {

/// The model's function that the node calls; nullptr where it calls an operator.
const tenon_onnx::FunctionProto* find_onnx_function(const tenon_onnx::ModelProto& model,
                                                    const tenon_onnx::NodeProto& node);

/// The function's nodes as this call has them: attributes that refer to the function's are replaced by the call's or
/// the default's, or left out; inputs that the call leaves out have the empty name.
google::protobuf::RepeatedPtrField<tenon_onnx::NodeProto> onnx_function_nodes(const tenon_onnx::FunctionProto& function,
                                                                              const tenon_onnx::NodeProto& call,
                                                                              const std::vector<ValueId>& inputs);

}  // namespace tenon
