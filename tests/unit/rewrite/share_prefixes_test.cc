// Long concatenations take the results of earlier ones with which they begin.
#include "catch.h"
#include "rewrite/graph_passes.h"

namespace tenon::share_prefixes_test {

/// Inputs x0 … x11 of one element, and a node for each number of operands, all from x0 on.
Graph prefixes(const std::vector<int>& counts, const std::vector<int64_t>& axes) {
  Graph graph;
  graph.name = "dense";
  for (int k = 0; k < 12; ++k) {
    graph.values.push_back({"x" + std::to_string(k), "", DType::F32, {SizeExpr(1)}, nullptr});
    graph.inputs.push_back(static_cast<ValueId>(k));
  }
  for (size_t i = 0; i < counts.size(); ++i) {
    Node n{"c" + std::to_string(i), "concat", {}, {{"axis", axes[i]}}, {}, "test"};
    n.inputs.assign(graph.inputs.begin(), graph.inputs.begin() + counts[i]);
    n.outputs = {static_cast<ValueId>(graph.values.size())};
    graph.values.push_back({"y" + std::to_string(i), "", DType::F32, {SizeExpr(counts[i])}, nullptr});
    graph.nodes.push_back(n);
    graph.outputs.push_back(n.outputs[0]);
  }
  return graph;
}

TEST_CASE("a long concatenation begins with the longest earlier one") {
  const Graph shared = share_prefixes(prefixes({8, 9, 12}, {0, 0, 0}));
  CHECK(shared.nodes[0].inputs.size() == 8);
  CHECK(shared.nodes[1].inputs == std::vector<ValueId>{shared.nodes[0].outputs[0], static_cast<ValueId>(8)});
  CHECK(shared.nodes[2].inputs == std::vector<ValueId>{shared.nodes[1].outputs[0], static_cast<ValueId>(9),
                                                       static_cast<ValueId>(10), static_cast<ValueId>(11)});
  CHECK(verify(shared).empty());
}

TEST_CASE("short concatenations and other axes stay as they are") {
  const Graph shared = share_prefixes(prefixes({3, 4, 9, 10}, {0, 0, 0, 1}));
  for (const size_t n : {0, 1, 2, 3}) CHECK(shared.nodes[n].inputs.size() == std::vector<size_t>{3, 4, 9, 10}[n]);
}

}  // namespace tenon::share_prefixes_test
