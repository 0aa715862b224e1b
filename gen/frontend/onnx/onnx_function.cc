// Unfolds functions of ONNX models.
#include <map>
#include <set>
#include <string>

#include "frontend/onnx/onnx_nodes.h"

namespace tenon {
namespace {

using namespace tenon_onnx;
using ProtoAttributes = std::map<std::string, AttributeProto>;

std::string domain_of(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

ProtoAttributes attributes_of(const FunctionProto& function, const NodeProto& call) {
  ProtoAttributes attrs;
  for (const AttributeProto& a : function.attribute_proto()) attrs[a.name()] = a;
  for (const AttributeProto& a : call.attribute()) attrs[a.name()] = a;
  return attrs;
}

void bind_attributes(NodeProto& node, const ProtoAttributes& attrs);

void bind_attributes(GraphProto& graph, const ProtoAttributes& attrs) {
  for (NodeProto& n : *graph.mutable_node()) bind_attributes(n, attrs);
}

void bind_attributes(NodeProto& node, const ProtoAttributes& attrs) {
  google::protobuf::RepeatedPtrField<AttributeProto> bound;
  for (AttributeProto& a : *node.mutable_attribute()) {
    if (a.ref_attr_name().empty()) {
      if (a.has_g()) bind_attributes(*a.mutable_g(), attrs);
      *bound.Add() = std::move(a);
    } else if (const auto it = attrs.find(a.ref_attr_name()); it != attrs.end()) {
      *bound.Add() = it->second;
      bound[bound.size() - 1].set_name(a.name());
    }
  }
  node.mutable_attribute()->Swap(&bound);
}

}  // namespace

const FunctionProto* find_onnx_function(const ModelProto& model, const NodeProto& node) {
  for (const FunctionProto& f : model.functions())
    if (f.name() == node.op_type() && domain_of(f.domain()) == domain_of(node.domain()) &&
        f.overload() == node.overload())
      return &f;
  return nullptr;
}

google::protobuf::RepeatedPtrField<NodeProto> onnx_function_nodes(const FunctionProto& function, const NodeProto& call,
                                                                  const std::vector<ValueId>& inputs) {
  const ProtoAttributes attrs = attributes_of(function, call);
  std::set<std::string> absent;
  for (int i = 0; i < function.input_size(); ++i)
    if (static_cast<size_t>(i) >= inputs.size() || inputs[static_cast<size_t>(i)] == kNoValue)
      absent.insert(function.input(i));
  google::protobuf::RepeatedPtrField<NodeProto> nodes = function.node();
  for (NodeProto& n : nodes) {
    bind_attributes(n, attrs);
    for (std::string& input : *n.mutable_input())
      if (absent.count(input)) input.clear();
  }
  return nodes;
}

}  // namespace tenon
