// ONNX → Graph.
#pragma once

#include <map>
#include <span>

#include "frontend/graph/op_semantics.h"
#include "frontend/onnx/onnx_table.h"
#include "frontend/recipe/training_forms.h"

namespace tenon {

/// What the user says about open sizes: name as the file has it → range; lo == hi fixes it.
struct SizeRange {
  int64_t lo = 0;
  int64_t hi = 0;
};
using SizeRanges = std::map<std::string, SizeRange>;
/// The extents of the arrays that a program will be called with; none for one that is not known.
using InputExtents = std::vector<std::optional<std::vector<int64_t>>>;

class OnnxExtension;

struct OnnxSource {
  std::string path;  // names the file in diagnostics; external data is looked for next to it
  std::span<const uint8_t> bytes;
  std::vector<std::string> kept = {};  // initializers that are not computed away, for gradients with respect to them
  std::string program = "";            // the name of the generated C: values must not use its names
  InputExtents given = {};             // extents of the inputs in order, for open sizes
  GraphMode mode = GraphMode::network;
  OnnxExtension* extension = nullptr;  // work done beyond reading it
};

/// Reads a model. Nodes become calls of the library's ops by the rows of `table`; what can be known before run time is
/// computed. Errors: damaged bytes, opsets outside of 1 to 28, operators without a row, open sizes without a range, and
/// whatever a row or an op refuses; each names the file and the node.
Result<Graph> read_onnx(const OnnxSource& source, const OnnxTable& table, const OpSemantics& semantics,
                        const SizeRanges& sizes);

}  // namespace tenon
