// Shapes that a file states, carried from results to operands.
#include "frontend/onnx/onnx_stated.h"

#include <algorithm>
#include <set>

namespace tenon {
namespace {

using namespace tenon_onnx;

bool by_element(const OnnxTable& table, const NodeProto& node) {
  return node.domain().empty() && node.output_size() == 1 && table.by_element.count(node.op_type()) > 0;
}

// Names of values without dims.
std::set<std::string> scalars_of(const GraphProto& graph, const OnnxTable& table) {
  std::set<std::string> scalars;
  for (const TensorProto& t : graph.initializer())
    if (t.dims_size() == 0) scalars.insert(t.name());
  for (const ValueInfoProto& v : graph.input())
    if (v.type().tensor_type().has_shape() && v.type().tensor_type().shape().dim_size() == 0) scalars.insert(v.name());
  for (const NodeProto& node : graph.node()) {
    const bool made =
        by_element(table, node) && std::all_of(node.input().begin(), node.input().end(),
                                               [&](const std::string& i) { return scalars.count(i) > 0; });
    const bool constant =
        node.op_type() == "Constant" &&
        std::any_of(node.attribute().begin(), node.attribute().end(), [](const AttributeProto& a) {
          return a.name() == "value_int" || a.name() == "value_float" || (a.has_t() && a.t().dims_size() == 0);
        });
    if (made || constant) scalars.insert(node.output(0));
  }
  return scalars;
}

}  // namespace

void carry_stated_shapes(const GraphProto& graph, const OnnxTable& table,
                         std::map<std::string, std::vector<SizeExpr>>& stated) {
  const std::set<std::string> scalars = scalars_of(graph, table);
  for (int i = graph.node_size() - 1; i >= 0; --i) {
    const NodeProto& node = graph.node(i);
    if (!by_element(table, node)) continue;
    const auto result = stated.find(node.output(0));
    if (result == stated.end()) continue;
    std::set<std::string> wide;
    for (int k = 0; k < std::min(node.input_size(), table.by_element.at(node.op_type())); ++k)
      if (!scalars.count(node.input(k))) wide.insert(node.input(k));
    // With several operands each is taken to be as wide as the result: who relies on it checks it again at run time.
    for (const std::string& operand : wide) stated.emplace(operand, result->second);
  }
}

}  // namespace tenon
