// Passes of quantisation over the graph of an ONNX file.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontend/onnx/onnx.pb.h"
#include "frontend/quantize/onnx_graph.h"
#include "support/diagnostics.h"

namespace tenon {

/// Writes nodes of the graph in the form that they have in opset 13, and the version. Models of later opsets stay as
/// they are. What changed its meaning in a way that is not written here is an error that names the node.
void upgrade_opset(tenon_onnx::ModelProto& model, OnnxGraph& graph, const std::string& path, Diagnostics& diagnostics);

/// Each BatchNormalization that alone reads what a Conv or Gemm with constant weights makes goes into its weights and
/// bias.
void fold_batch_norm(OnnxGraph& graph);

struct QuantizedChoice {
  std::vector<std::string> values;           ///< in order of appearance
  std::map<std::string, std::string> group;  ///< by value: the value that stands for all in the same steps
  std::set<std::string> weighted;            ///< outputs of the convolutions and products with integer weights
  int left = 0;                              ///< convolutions and products that stay in floats
};

/// The dimension of constant weights of f32 that counts the channels of a Conv, Gemm or MatMul; -1 for other nodes.
int weight_axis(const OnnxGraph& graph, const tenon_onnx::NodeProto& node);

/// `kept`: names of nodes, or of what they make, that stay in floats; those that are found are taken out.
QuantizedChoice choose_quantized(OnnxGraph& graph, std::set<std::string>& kept);

}  // namespace tenon
