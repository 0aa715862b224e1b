// Which initializers of an ONNX model are weights.
#pragma once

#include <string>
#include <vector>

namespace tenon_onnx {
class GraphProto;
}

namespace tenon {

/// Names of floating initializers that operators of the main graph read.
struct OnnxWeights {
  /// A layer begins at each operator that multiplies with weights (Conv, Gemm, MatMul, LSTM …). What norms and
  /// element-wise operators after it read belongs to it.
  std::vector<std::vector<std::string>> layers;
  std::vector<std::string> statistics;  // means and variances of BatchNormalization

  std::vector<std::string> all() const;
};

OnnxWeights find_onnx_weights(const tenon_onnx::GraphProto& graph);

/// Whether a name is one of a pattern, in which * is any text and ? any character.
bool matches_pattern(const std::string& name, const std::string& pattern);

}  // namespace tenon
