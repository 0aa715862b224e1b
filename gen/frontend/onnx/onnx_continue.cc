// Moves nodes into the branches of an If.
#include <algorithm>

#include "frontend/onnx/onnx_nodes.h"

namespace tenon {
namespace {

using namespace tenon_onnx;

bool reads_one_of(const NodeProto& node, const std::set<std::string>& names) {
  std::set<std::string> read;
  names_read(node, read);
  return std::any_of(read.begin(), read.end(), [&](const std::string& n) { return !n.empty() && names.count(n) > 0; });
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
