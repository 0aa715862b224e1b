// Batch normalisation → the weights of the convolution or product before it.
#pragma once

#include "frontend/quantize/onnx_graph.h"

namespace tenon {

/// Each BatchNormalization that alone reads what a Conv or Gemm with constant weights makes goes into its weights and
/// bias.
void fold_batch_norm(OnnxGraph& graph);

}  // namespace tenon
