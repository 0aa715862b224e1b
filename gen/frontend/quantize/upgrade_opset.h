// ONNX of opset 7 to 12 → opset 13, the first whose integers have a scale a channel.
#pragma once

#include <string>

#include "frontend/onnx/onnx.pb.h"
#include "frontend/quantize/onnx_graph.h"
#include "support/diagnostics.h"

namespace tenon {

/// Writes nodes of the graph in the form that they have in opset 13, and the version. Models of later opsets stay as
/// they are. What changed its meaning in a way that is not written here is an error that names the node.
void upgrade_opset(tenon_onnx::ModelProto& model, OnnxGraph& graph, const std::string& path, Diagnostics& diagnostics);

}  // namespace tenon
