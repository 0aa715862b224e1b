// Sorts nodes by what they read.
#include <map>
#include <queue>
#include <set>
#include <string>

#include "frontend/onnx/onnx_nodes.h"

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
  order.insert(order.end(), left.begin(), left.end());
  return order;
}

}  // namespace tenon
