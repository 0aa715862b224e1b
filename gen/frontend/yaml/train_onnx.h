// How an ONNX model is trained, in YAML: `--train-with`.
//
//   sizes: {N: 1..64}                  ranges of the model's open sizes
//   inputs: {x: "f32[N, 1, 28, 28]"}   inputs that have other extents than the file says, as for a batch
//   values: {scores: "output/fc:0"}    names for values of the model that are not spelled like names
//   parameters: ["fc*"]                the weights that are trained, all without the key
//   last: 2                            of these, those of the last layers
//   running: ["*"]                     statistics of batch norm that follow the batches
//   modules, train                     as in a graph: docs/training.md
#pragma once

#include <memory>

#include "frontend/onnx/onnx_extension.h"
#include "frontend/onnx/read_onnx.h"

namespace tenon {

/// Reads such a file and adds the ranges of its sizes to those of the user.
Result<std::unique_ptr<OnnxExtension>> read_onnx_training(const SourceFileRef& file, const OpSemantics& semantics,
                                                          GraphMode mode, SizeRanges& sizes);

}  // namespace tenon
