// Rewriting of long chains of operators: it comes to an end, keeps what is computed, and stops where rules undo each
// other.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>

#include "catch.h"
#include "frontend/yaml/read_graph_yaml.h"
#include "oracle/run_graph.h"
#include "semantics/library_semantics.h"
#include "semantics/node_kernels.h"
#include "shipped_library.h"

namespace long_chains_test {

using namespace tenon;

namespace {

const OpLibrary& shipped() { return tenon_test::shipped_ops(); }

/// `main` over x: i32[2, 3, 4], whose last statement defines y.
Graph graph_of(const std::string& main) {
  const OpSemantics semantics = folding_semantics(shipped());
  const std::string text = "graph: g\ninputs: {x: \"i32[2, 3, 4]\"}\nmain: |\n" + main + "outputs: [y]\n";
  const auto graph = read_graph_yaml(std::make_shared<const SourceFile>("g.yaml", text), semantics, {});
  if (!graph.ok()) FAIL(graph.diagnostics().text());
  return *graph;
}

/// Node k of a chain is `turn` where k is even, and else `op`.
std::string chain(int nodes, const std::string& turn, const std::string& op) {
  std::string main;
  for (int k = 0; k < nodes; ++k)
    main += fmt::format("  {} = {}({}{})\n", k == nodes - 1 ? "y" : fmt::format("v{}", k), k % 2 ? op : "transpose",
                        k == 0 ? "x" : fmt::format("v{}", k - 1), k % 2 ? "" : turn);
  return main;
}

TensorData run(const Graph& graph, const TensorData& x) {
  const auto kernels = node_kernels(shipped(), graph, "g.yaml");
  if (!kernels.ok()) FAIL(kernels.diagnostics().text());
  const GraphRun done = run_graph(graph, *kernels, {}, {x});
  REQUIRE(done.status == OracleStatus::Done);
  return done.outputs[0];
}

}  // namespace

TEST_CASE("rewrites: transposes go through any number of operators") {
  for (const int nodes : {80, 400}) {
    const Graph before = graph_of(chain(nodes, ", perm=[1, 2, 0]", "neg"));
    const RewriteOutcome after = apply_rewrites(shipped(), tenon_test::shipped_rules(), before);
    CHECK(after.unsettled.empty());
    CHECK(after.refused.empty());
    CHECK(std::count_if(after.graph.nodes.begin(), after.graph.nodes.end(),
                        [](const Node& n) { return n.op == "transpose"; }) <= 1);
  }
}

TEST_CASE("rewrites: chains with branches keep what they compute") {
  std::mt19937 random(11);
  const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  const std::array<const char*, 4> unary = {"neg", "abs", "sq", "identity"};
  for (int round = 0; round < 20; ++round) {
    std::string main = "  v0 = transpose(x, perm=[2, 0, 1])\n  v1 = neg(v0)\n  v2 = transpose(v0, perm=[1, 2, 0])\n";
    int n = 3;
    // Chains of transposes with something between them; now and then two values of one chain meet again.
    std::array<int, 3> axes = {0, 1, 2};
    std::string last = "x", kept = "x";
    std::array<int, 3> of_last = {0, 1, 2}, of_kept = {0, 1, 2};
    for (const int end = n + 90; n < end; ++n) {
      const std::string name = fmt::format("v{}", n);
      if (below(2) == 0) {
        std::array<int, 3> perm = axes;
        std::shuffle(perm.begin(), perm.end(), random);
        main += fmt::format("  {} = transpose({}, perm=[{}, {}, {}])\n", name, last, perm[0], perm[1], perm[2]);
        of_last = {of_last[static_cast<size_t>(perm[0])], of_last[static_cast<size_t>(perm[1])],
                   of_last[static_cast<size_t>(perm[2])]};
      } else if (of_last == of_kept && last != kept && below(2) == 0) {
        main += fmt::format("  {} = sub({}, {})\n", name, last, kept);
      } else {
        main += fmt::format("  {} = {}({})\n", name, unary[static_cast<size_t>(below(4))], last);
      }
      last = name;
      if (below(6) == 0) kept = last, of_kept = of_last;
    }
    main += fmt::format("  y = add(add(sum({}), sum({})), add(sum(v1), sum(v2)))\n", last, kept);
    const Graph before = graph_of(main);
    const RewriteOutcome after = apply_rewrites(shipped(), tenon_test::shipped_rules(), before);
    INFO(to_text(before) << to_text(after.graph));
    CHECK(after.unsettled.empty());
    CHECK(verify(after.graph).empty());
    TensorData x{DType::I32, {2, 3, 4}, {}};
    for (int k = 0; k < 24; ++k)
      for (const int byte : {below(3), 0, 0, 0}) x.bytes.push_back(static_cast<uint8_t>(byte));
    CHECK(run(before, x).bytes == run(after.graph, x).bytes);
  }
}

TEST_CASE("rewrites: rules that undo each other are stopped and named") {
  const auto rules = read_rewrites(shipped(), {std::make_shared<const SourceFile>("rules.yaml",
                                                                                  R"(rules:
  - rule: there
    doc: one way
    match: y = neg(x)
    replace: abs(x)
  - rule: back
    doc: and back
    match: y = abs(x)
    replace: neg(x)
)")});
  if (!rules.ok()) FAIL(rules.diagnostics().text());
  const RewriteOutcome after = apply_rewrites(shipped(), *rules, graph_of("  y = neg(x)\n"));
  CHECK_FALSE(after.unsettled.empty());
  CHECK(after.graph.nodes.size() == 1);
}

}  // namespace long_chains_test
