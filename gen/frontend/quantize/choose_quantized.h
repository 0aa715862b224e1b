// Which values of a graph become 8-bit integers, and which of them in the same steps.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontend/quantize/onnx_graph.h"

namespace tenon {

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
