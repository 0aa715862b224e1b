// A graph in YAML → Graph.
//
//   graph: digits                     name
//   doc: …
//   sizes: {N: 1..64}                 run-time sizes and their bounds; `N: 4` is fixed
//   inputs: {x: "f32[N, 64]"}
//   parameters:                       weights
//     W: {type: "f32[64, 32]", from: weights.safetensors, name: fc1.weight, grad: true}
//   modules:                          functions over tensors, inlined
//     dense(x, W, b): relu(gemm(x, W, b))
//   main: |                           the recipe
//     y = dense(x, W, b)
//   outputs: [y]
//   train:                            how it is trained: docs/training.md
//     targets: {t: "i64[N]"}
//     loss: nll_loss_mean(log_softmax(y, axis=1), t)
//     optimizer: sgd(lr=0.1, momentum=0.9)
//
// `from` is a .npy, .npz or .safetensors file next to the graph, or a call of an op that makes a tensor from attributes
// alone (randn(std=0.1), full(value=1), arange()); `name` is the tensor's name in the file where it is not the
// parameter's. `type` may be left out for files.
#pragma once

#include "frontend/graph/op_semantics.h"
#include "frontend/onnx/read_onnx.h"
#include "frontend/recipe/training_forms.h"
#include "support/yaml_document.h"

namespace tenon {

struct GraphRequest {
  SizeRanges sizes = {};  // what the user says about them
  GraphMode mode = GraphMode::network;
  bool keeps_weights = false;  // nothing is computed from them before run time, so that gradients may be asked for
  std::string program = "";    // the name of the generated C: values must not use its names
};

/// Reads a graph. For a step of training its outputs are those of add_training; for validation the loss comes first,
/// and the parameters that training changes are inputs. All mistakes are reported with their places. Parameters' files
/// are looked for next to the graph.
Result<Graph> read_graph_yaml(const SourceFileRef& file, const OpSemantics& semantics, const GraphRequest& request);

}  // namespace tenon
