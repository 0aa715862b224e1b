// The order in which the nodes of an ONNX graph can be read.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "frontend/onnx/onnx.pb.h"

namespace tenon {

/// Positions of the nodes so that each comes after those that make its inputs, and otherwise in file order: the format
/// asks for such an order, but not all writers keep to it. Nodes of a cycle come last, in file order.
std::vector<int> onnx_node_order(const google::protobuf::RepeatedPtrField<tenon_onnx::NodeProto>& nodes);

/// Adds the names that a node reads, those that its graphs read from outside included.
void names_read(const tenon_onnx::NodeProto& node, std::set<std::string>& names);

}  // namespace tenon
