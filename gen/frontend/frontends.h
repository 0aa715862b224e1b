// The list of frontends: which reader takes which file.
#pragma once

#include "frontend/onnx/read_onnx.h"
#include "frontend/recipe/training_forms.h"

namespace tenon {

struct FrontendInput {
  std::string path;                      // .onnx, .yaml or .yml
  std::vector<SourceFileRef> onnx_rows;  // the files of opdefs/onnx, in order of their names; read for ONNX models only
  SizeRanges sizes;                      // the values of --size
  InputExtents given = {};               // extents of the inputs in order, for open sizes without --size
  std::vector<std::string> kept = {};    // weights with respect to which gradients are computed
  GraphMode mode = GraphMode::network;   // the purpose for which a graph with a section `train` is read
  std::string program = "";              // the name of the generated C
  std::string train_with = "";           // the file that says how an ONNX model is trained; read unless empty
};

/// Whether a frontend takes a file of this name.
bool has_frontend(const std::string& path);

/// Whether the file holds a model: ONNX by its name, YAML by the key `graph`. False for what cannot be read.
bool holds_model(const std::string& path);

/// Reads a model by its extension. The graph is sound by its verifier.
Result<Graph> read_model(const FrontendInput& input, const OpSemantics& semantics);

}  // namespace tenon
