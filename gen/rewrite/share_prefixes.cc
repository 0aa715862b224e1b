// Concatenations that begin as an earlier one does read its result.
#include <algorithm>
#include <map>
#include <tuple>

#include "rewrite/graph_passes.h"

namespace tenon {
namespace {

/// Fewer operands are read where they are: a result of its own would be one more copy.
constexpr size_t kLong = 8;

struct Concatenation {
  std::vector<ValueId> operands;
  ValueId result = kNoValue;
};

bool is_prefix(const std::vector<ValueId>& a, const std::vector<ValueId>& of) {
  return a.size() < of.size() && std::equal(a.begin(), a.end(), of.begin());
}

}  // namespace

Graph share_prefixes(Graph graph) {
  std::map<std::tuple<RegionId, std::string, ValueId>, std::vector<Concatenation>>
      earlier;  // by axis and first operand
  for (Node& n : graph.nodes) {
    const auto axis = n.attrs.find("axis");
    if (n.op != "concat" || n.inputs.size() < kLong || axis == n.attrs.end()) continue;
    std::vector<Concatenation>& same = earlier[{n.region, to_text(axis->second), n.inputs[0]}];
    const Concatenation whole{n.inputs, n.outputs[0]};
    const auto longest = std::max_element(same.begin(), same.end(), [&](const auto& a, const auto& b) {
      return (is_prefix(a.operands, whole.operands) ? a.operands.size() : 0) <
             (is_prefix(b.operands, whole.operands) ? b.operands.size() : 0);
    });
    if (longest != same.end() && is_prefix(longest->operands, whole.operands)) {
      n.inputs.erase(n.inputs.begin(), n.inputs.begin() + static_cast<std::ptrdiff_t>(longest->operands.size()));
      n.inputs.insert(n.inputs.begin(), longest->result);
    }
    same.push_back(whole);
  }
  return graph;
}

}  // namespace tenon
