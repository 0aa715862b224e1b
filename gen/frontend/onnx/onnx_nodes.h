// The nodes of an ONNX graph: their order, functions that they call, an If that takes in what follows it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "frontend/onnx/onnx.pb.h"
#include "ir/graph/graph.h"

namespace tenon {

/// Positions of the nodes so that each comes after those that make its inputs, and otherwise in file order: the format
/// asks for such an order, but not all writers keep to it. Nodes of a cycle come last, in file order.
std::vector<int> onnx_node_order(const google::protobuf::RepeatedPtrField<tenon_onnx::NodeProto>& nodes);

/// Adds the names that a node reads, those that its graphs read from outside included.
void names_read(const tenon_onnx::NodeProto& node, std::set<std::string>& names);

/// The model's function that the node calls; nullptr where it calls an operator.
const tenon_onnx::FunctionProto* find_onnx_function(const tenon_onnx::ModelProto& model,
                                                    const tenon_onnx::NodeProto& node);

/// The function's nodes as this call has them: attributes that refer to the function's are replaced by the call's or
/// the default's, or left out; inputs that the call leaves out have the empty name.
google::protobuf::RepeatedPtrField<tenon_onnx::NodeProto> onnx_function_nodes(const tenon_onnx::FunctionProto& function,
                                                                              const tenon_onnx::NodeProto& call,
                                                                              const std::vector<ValueId>& inputs);

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
