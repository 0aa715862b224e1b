// An If whose branches make values that one tensor cannot be: what reads them becomes part of both branches.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "frontend/onnx/onnx.pb.h"

namespace tenon {

/// Thrown by an If whose results differ in rank or element type, where what follows it may join the branches.
struct BranchesDiffer {};

using OnnxNodes = std::vector<const tenon_onnx::NodeProto*>;

/// Parts of `nodes`, which are in order: those that need an output of `node`, directly or not, and the others.
struct NodesAfter {
  OnnxNodes dependent, other;
};
NodesAfter nodes_after(const tenon_onnx::NodeProto& node, const OnnxNodes& nodes);

/// The If with the first `count` nodes of `rest` in both of its branches. Its outputs are what the others or `needed`
/// read of all that it makes.
tenon_onnx::NodeProto continued_if(const tenon_onnx::NodeProto& node, const OnnxNodes& rest, size_t count,
                                   const std::set<std::string>& needed);

}  // namespace tenon
