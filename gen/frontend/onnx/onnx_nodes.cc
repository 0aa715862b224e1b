// The nodes of an ONNX graph: their order, functions, an If with what follows it.
#include "frontend/onnx/onnx_nodes.h"

#include <map>
#include <queue>
#include <set>
#include <string>

#include "support/ranges.h"

namespace tenon {
namespace {

using namespace tenon_onnx;
using Nodes = google::protobuf::RepeatedPtrField<NodeProto>;

}  // namespace

void names_read(const NodeProto& node, std::set<std::string>& names) {
  names.insert(node.input().begin(), node.input().end());
  for (const AttributeProto& a : node.attribute()) {
    for (const NodeProto& inner : a.g().node()) names_read(inner, names);
    for (const ValueInfoProto& v : a.g().output()) names.insert(v.name());
  }
}

std::vector<int> onnx_node_order(const Nodes& nodes) {
  std::map<std::string, int> maker;
  for (int i = 0; i < nodes.size(); ++i)
    for (const std::string& name : nodes[i].output()) maker.emplace(name, i);
  std::vector<std::vector<int>> readers(static_cast<size_t>(nodes.size()));
  std::vector<int> missing(static_cast<size_t>(nodes.size()), 0);
  for (int i = 0; i < nodes.size(); ++i) {
    std::set<std::string> names;
    names_read(nodes[i], names);
    for (const std::string& name : names) {
      const auto it = maker.find(name);
      if (name.empty() || it == maker.end() || it->second == i) continue;
      readers[static_cast<size_t>(it->second)].push_back(i);
      ++missing[static_cast<size_t>(i)];
    }
  }
  std::priority_queue<int, std::vector<int>, std::greater<int>> ready;
  for (int i = 0; i < nodes.size(); ++i)
    if (missing[static_cast<size_t>(i)] == 0) ready.push(i);
  std::vector<int> order;
  std::set<int> left;
  for (int i = 0; i < nodes.size(); ++i) left.insert(i);
  while (!ready.empty()) {
    const int i = ready.top();
    ready.pop();
    order.push_back(i);
    left.erase(i);
    for (int reader : readers[static_cast<size_t>(i)])
      if (--missing[static_cast<size_t>(reader)] == 0) ready.push(reader);
  }
  append(order, left);
  return order;
}

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
  return find_pointer(model.functions(), [&](const FunctionProto& f) {
    return f.name() == node.op_type() && domain_of(f.domain()) == domain_of(node.domain()) &&
           f.overload() == node.overload();
  });
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

namespace {

using namespace tenon_onnx;

bool reads_one_of(const NodeProto& node, const std::set<std::string>& names) {
  std::set<std::string> read;
  names_read(node, read);
  return any_of(read, [&](const std::string& n) { return !n.empty() && names.count(n) > 0; });
}

/// The branch's own results under the names that the If gives them, the nodes that follow, and new outputs.
void continue_branch(GraphProto& branch, const NodeProto& node, const OnnxNodes& rest, size_t count,
                     const std::vector<std::string>& outputs) {
  for (int k = 0; k < std::min(branch.output_size(), node.output_size()); ++k) {
    if (node.output(k).empty()) continue;
    NodeProto& renamed = *branch.add_node();
    renamed.set_op_type("Identity");
    renamed.add_input(branch.output(k).name());
    renamed.add_output(node.output(k));
  }
  for (size_t i = 0; i < count; ++i) *branch.add_node() = *rest[i];
  branch.clear_output();
  for (const std::string& name : outputs) branch.add_output()->set_name(name);
}

}  // namespace

NodesAfter nodes_after(const NodeProto& node, const OnnxNodes& nodes) {
  NodesAfter after;
  std::set<std::string> made(node.output().begin(), node.output().end());
  for (const NodeProto* n : nodes) {
    const bool dependent = reads_one_of(*n, made);
    if (dependent) made.insert(n->output().begin(), n->output().end());
    (dependent ? after.dependent : after.other).push_back(n);
  }
  return after;
}

NodeProto continued_if(const NodeProto& node, const OnnxNodes& rest, size_t count,
                       const std::set<std::string>& needed) {
  std::set<std::string> read = needed;
  for (size_t i = count; i < rest.size(); ++i) names_read(*rest[i], read);
  std::vector<std::string> outputs;
  const auto add = [&](const NodeProto& n) {
    for (const std::string& name : n.output())
      if (!name.empty() && read.count(name) > 0) outputs.push_back(name);
  };
  add(node);
  for (size_t i = 0; i < count; ++i) add(*rest[i]);
  NodeProto continued = node;
  for (AttributeProto& a : *continued.mutable_attribute())
    if (a.has_g()) continue_branch(*a.mutable_g(), node, rest, count, outputs);
  continued.clear_output();
  for (const std::string& name : outputs) continued.add_output(name);
  return continued;
}

}  // namespace tenon
