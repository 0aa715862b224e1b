// What is computed again for gradients: less memory, within the bound on work, and the same values.
#include "schedule/recompute.h"

#include <algorithm>

#include "catch.h"
#include "frontend/yaml/read_graph_yaml.h"
#include "ir/graph/size_bounds.h"
#include "oracle/run_graph.h"
#include "schedule/plan_memory.h"
#include "semantics/apply_rewrites.h"
#include "semantics/library_semantics.h"
#include "semantics/node_kernels.h"
#include "shipped_library.h"

namespace recompute_test {

using namespace tenon;

namespace {

struct Step {
  Graph graph;
  std::vector<NodeKernel> kernels;
};

/// A graph of this text whose gradients are spelled out.
Step step_of(const std::string& text) {
  const OpLibrary& ops = tenon_test::shipped_ops();
  const OpSemantics semantics = folding_semantics(ops);
  auto read = read_graph_yaml(std::make_shared<const SourceFile>("g.yaml", "graph: g\n" + text), semantics, {});
  if (!read.ok()) FAIL(read.diagnostics().text());
  auto swept = backward_graph(ops, std::move(read).value());
  if (!swept.ok()) FAIL(swept.diagnostics().text());
  Graph graph = apply_rewrites(ops, tenon_test::shipped_rules(), std::move(swept).value()).graph;
  auto kernels = node_kernels(ops, graph, "g.yaml");
  if (!kernels.ok()) FAIL(kernels.diagnostics().text());
  return {std::move(graph), std::move(kernels).value()};
}

Recomputed chosen(const Step& s, Recompute mode) {
  Recomputed made = recompute(s.graph, s.kernels, mode, {});
  INFO(to_text(made.graph));
  REQUIRE(verify(made.graph) == std::vector<std::string>{});
  return made;
}

int64_t live(const Recomputed& r) {
  const std::vector<int64_t> bytes = live_bytes(plan_graph(r.graph, r.kernels, {}));
  return *std::max_element(bytes.begin(), bytes.end());
}

/// Inputs are 0.01, 0.02, … or the indices 0, 1, 2, 0, 1, ….
std::vector<TensorData> results(const Recomputed& r) {
  std::vector<TensorData> inputs;
  for (const ValueId id : r.graph.inputs) {
    const Value& v = r.graph.values[static_cast<size_t>(id)];
    TensorData t{v.dtype, {}, {}};
    for (const SizeExpr& d : v.dims) t.dims.push_back(maximum_value(d, r.graph.sizes).value());
    const int64_t n = element_count(t.dims);
    t.bytes.resize(static_cast<size_t>(n * bytes_of(v.dtype)));
    for (int64_t i = 0; i < n; ++i)
      if (v.dtype == DType::I64) reinterpret_cast<int64_t*>(t.bytes.data())[i] = i % 3;
      else reinterpret_cast<float*>(t.bytes.data())[i] = 0.01f * static_cast<float>(i % 97 + 1);
    inputs.push_back(std::move(t));
  }
  SizeValues sizes;
  for (const GraphSize& s : r.graph.sizes) sizes[s.name] = s.hi;
  GraphRun run = run_graph(r.graph, r.kernels, sizes, inputs);
  REQUIRE(run.status == OracleStatus::Done);
  return std::move(run.outputs);
}

/// Layers of 8 units, one behind the other.
std::string chain(int layers, const std::string& activation) {
  std::string text = "sizes: {N: 1..32}\ninputs: {x: \"f32[N, 8]\"";
  for (int i = 0; i < layers; ++i) text += ", W" + std::to_string(i) + ": \"f32[8, 8]\"";
  text += "}\nmain: |\n  h0 = x\n";
  for (int i = 0; i < layers; ++i) {
    const std::string n = std::to_string(i), next = std::to_string(i + 1);
    text += "  h" + next + " = " + activation + "(matmul(h" + n + ", W" + n + "))\n";
  }
  return text + "  e = sum(h" + std::to_string(layers) + ")\n  d, f = grad(e, W0, x)\noutputs: [e, d, f]\n";
}

}  // namespace

TEST_CASE("what is computed again lowers memory and changes no bit", "[recompute]") {
  const Step deep = step_of(chain(16, "gelu"));
  const Recomputed never = chosen(deep, Recompute::never), some = chosen(deep, Recompute::automatic),
                   all = chosen(deep, Recompute::always);
  CHECK(never.again.nodes == 0);
  CHECK(some.again.nodes > 0);
  CHECK(some.again.work <= 0.1);
  CHECK(all.again.work <= 0.34);  // one more forward pass
  CHECK(live(some) * 5 < live(never) * 4);
  CHECK(live(all) * 2 < live(never));
  CHECK(results(some) == results(never));
  CHECK(results(all) == results(never));
}

TEST_CASE("memory of a deep chain grows with the root of its depth", "[recompute]") {
  const int64_t once = live(chosen(step_of(chain(9, "tanh")), Recompute::always)),
                four = live(chosen(step_of(chain(36, "tanh")), Recompute::always));
  CHECK(four * 2 < once * 5);
}

TEST_CASE("values of several readers and nodes of several results", "[recompute]") {
  const std::string residual =
      "inputs: {x: \"f32[16, 8]\", W: \"f32[8, 8]\"}\nmain: |\n"
      "  a = tanh(matmul(x, W))\n  b = softmax(matmul(a, W), axis=1)\n  c = a*b\n  p, q = split(c, axis=1, sizes=[4, "
      "4])\n"
      "  k = concat(gelu(p), exp(q), axis=1)\n  m = tanh(matmul(k, W)) + a\n  e = sum(m*m)\n"
      "  d, f = grad(e, W, x)\noutputs: [e, d, f, b]\n";
  const Step s = step_of(residual);
  const Recomputed never = chosen(s, Recompute::never);
  for (const Recompute mode : {Recompute::automatic, Recompute::always}) {
    const Recomputed again = chosen(s, mode);
    CHECK(live(again) <= live(never));
    CHECK(results(again) == results(never));
  }
}

TEST_CASE("a graph without gradients stays as it is", "[recompute]") {
  const Step s = step_of("inputs: {x: \"f32[16, 8]\"}\nmain: |\n  y = tanh(x)\noutputs: [y]\n");
  CHECK(first_gradient(s.graph) == s.graph.nodes.size());
  CHECK(to_text(chosen(s, Recompute::always).graph) == to_text(s.graph));
}

}  // namespace recompute_test
