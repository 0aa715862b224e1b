// read_graph_yaml: the graph of people, with sizes, modules, parameters and several outputs; and what is wrong with
// one.
#include "frontend/yaml/read_graph_yaml.h"

#include <fstream>

#include "catch.h"
#include "scratch_dir.h"
#include "small_library.h"

namespace read_graph_yaml_test {

using namespace tenon;

namespace {

Result<Graph> read(const std::string& text, const SizeRanges& sizes = {}, const std::string& path = "net.yaml") {
  const OpSemantics semantics = tenon_test::small_semantics();
  return read_graph_yaml(std::make_shared<SourceFile>(path, text), semantics, {sizes});
}

std::string error_of(const std::string& text) {
  const Result<Graph> g = read(text);
  if (g.ok()) return "";
  const std::string all = g.diagnostics().text();
  return all.substr(0, all.find('\n'));
}

constexpr const char* kDigits = R"yaml(graph: digits
doc: two dense layers
sizes: {N: 1..64, K: 8}
inputs: {x: "f32[N, 8*K]"}
parameters:
  W1: {type: "f32[64, 32]", from: full(value=1), grad: true}
  b1: {type: "f32[32]", from: full()}
modules:
  dense(x, W, b): relu(gemm(x, W, b))
main: |
  h = dense(x, W1, b1)       # one hidden layer
  l, r = halves(
    h)
  y = softmax(l + 2*r, axis=1)
outputs: [y, h]
)yaml";

}  // namespace

TEST_CASE("frontend: modules know the sizes, and tensors may be called like dtypes") {
  const Result<Graph> graph = read(R"yaml(graph: g
sizes: {N: 1..8, K: 4}
inputs: {u2: "f32[N, 4]"}
modules:
  fold(x): gemm(x, full(shape=[K, N], value=1, dtype=f32))
  hidden(K): full(shape=[K], value=1, dtype=f32)
main: |
  i4 = fold(u2)
  y = hidden(5)
outputs: [i4, y]
)yaml");
  INFO(graph.diagnostics().text());
  REQUIRE(graph.ok());
  CHECK(to_text(*graph).find("i4: f32[N, N] = gemm(u2, ") != std::string::npos);
  CHECK(to_text(*graph).find("y: f32[5] = ") != std::string::npos);
}

TEST_CASE("frontend: a graph in YAML") {
  const Result<Graph> graph = read(kDigits);
  INFO(graph.diagnostics().text());
  REQUIRE(graph.ok());
  CHECK(to_text(*graph) ==
        "graph digits {\n"
        "  size N = 1..64\n"
        "  input x: f32[N, 64]\n"
        "  parameter W1: f32[64, 32]\n"
        "  constant b1: f32[32]\n"
        "  constant t_2: f32[]\n"
        "  t: f32[N, 32] = gemm(x, W1, b1)  # net.yaml:11:7\n"
        "  h: f32[N, 32] = relu(t)  # net.yaml:11:7\n"
        "  l: f32[N//2, 32], r: f32[N//2, 32] = halves(h)  # net.yaml:12:10\n"
        "  t_3: f32[N//2, 32] = mul(t_2, r)  # net.yaml:14:20\n"
        "  t_4: f32[N//2, 32] = add(l, t_3)  # net.yaml:14:17\n"
        "  y: f32[N//2, 32] = softmax(t_4, axis=1)  # net.yaml:14:7\n"
        "  outputs y, h\n"
        "}\n");
  CHECK(verify(*graph) == std::vector<std::string>{});
  CHECK(graph->doc == "two dense layers");
}

TEST_CASE("frontend: --size bounds and fixes the sizes of a graph") {
  CHECK(read(kDigits, {{"N", {4, 4}}})->sizes.empty());
  CHECK(read(kDigits, {{"N", {2, 9}}})->sizes == std::vector<GraphSize>{{"N", 2, 9}});
  CHECK_FALSE(read(kDigits, {{"M", {4, 4}}}).ok());
}

TEST_CASE("frontend: parameters come from files next to the graph") {
  tenon_test::ScratchDir scratch;
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}";
  std::ofstream(scratch / "b.npy", std::ios::binary)
      << std::string("\x93NUMPY\x01\0", 8) << static_cast<char>(header.size()) << '\0' << header
      << std::string(8, '\0');
  const std::string text =
      "graph: g\ninputs: {x: \"f32[2]\"}\nparameters:\n  b: {type: \"f32[2]\", from: b.npy}\nmain: y = x + b\noutputs: "
      "[y]\n";
  CHECK(read(text, {}, (scratch / "net.yaml").string()).ok());
  std::string wrong = text;
  wrong.replace(wrong.find("f32[2]\", from"), 6, "f32[3]");
  const Result<Graph> g = read(wrong, {}, (scratch / "net.yaml").string());
  REQUIRE_FALSE(g.ok());
  CHECK(g.diagnostics().sorted().front().message == "the type stated is f32[3], but the contents are f32[2]");
}

TEST_CASE("frontend: mistakes in a graph have their places") {
  const std::string head = "graph: g\ninputs: {x: \"f32[2, 3]\"}\n", tail = "outputs: [y]\n";
  CHECK(error_of(head + "main: y = rellu(x)\n" + tail) ==
        "net.yaml:3:11: error: the library has no op 'rellu'; did you mean 'relu'? [E0702]");
  CHECK(error_of(head + "main: |\n  y = relu(z)\n" + tail) == "net.yaml:4:12: error: nothing has the name 'z' [E0702]");
  CHECK(error_of(head + "main: |\n  y = softmax(x, axes=1)\n" + tail) ==
        "net.yaml:4:18: error: softmax has no attribute 'axes'; did you mean 'axis'? [E0702]");
  CHECK(error_of(head + "main: |\n  y = softmax(x, axis=1.5)\n" + tail) ==
        "net.yaml:4:18: error: softmax: axis takes an integer, not 1.5 [E0702]");
  CHECK(error_of(head + "main: |\n  y = gemm(x, x)\n" + tail) ==
        "net.yaml:4:7: error: gemm: K is 3 in A and 2 in B (inputs: f32[2, 3], f32[2, 3]) [E0702]");
  CHECK(error_of(head + "main: |\n  y = relu(x\n" + tail) == "net.yaml:4:13: error: ')' is expected here [E0701]");
  CHECK(error_of(head + "main: |\n  y = relu(x)\noutputs: [z]\n") ==
        "net.yaml:5:11: error: main computes no tensor 'z' [E0708]");
  CHECK(error_of("graph: g\ninputs: {x: \"f33[2]\"}\nmain: y = relu(x)\noutputs: [y]\n") ==
        "net.yaml:2:14: error: 'f33' is not a dtype [E0704]");
  CHECK(error_of("graph: g\nsizes: {N: 4..1}\ninputs: {x: \"f32[N]\"}\nmain: y = relu(x)\noutputs: [y]\n") ==
        "net.yaml:2:12: error: a size is a range such as 1..64, or a number [E0705]");
  CHECK(error_of(head + "trial: {}\nmain: y = relu(x)\n" + tail) ==
        "net.yaml:3:1: error: unknown key 'trial' in a graph [E0703]");
  CHECK(error_of(head + "modules: {f(x): f(x)}\nmain: y = f(x)\n" + tail).find("is inlined into itself") !=
        std::string::npos);
  std::string modules = "modules:\n  m0(x): x\n";
  for (int k = 1; k < 60; ++k)
    modules += "  m" + std::to_string(k) + "(x): m" + std::to_string(k - 1) + "(m" + std::to_string(k - 1) + "(x))\n";
  CHECK(
      error_of(head + modules + "main: y = m59(x)\n" + tail)
          .find("is more than 20000 calls long; a function of a list is one call where one of its elements is many") !=
      std::string::npos);
}

TEST_CASE("frontend: mistakes that are something missing have their places, too") {
  CHECK(error_of("") == "net.yaml:1:1: error: a graph is one map of keys: graph, inputs, main, outputs … [E0703]");
  CHECK(error_of("graph: g\n---\ngraph: h\n") ==
        "net.yaml:3:1: error: a graph is one map of keys: graph, inputs, main, outputs … [E0703]");
  CHECK(error_of("graph: g\ninputs: {x: \"f32[2]\"}\nmain: |\n  y = relu(\noutputs: [y]\n") ==
        "net.yaml:4:12: error: an expression is expected here [E0701]");
  CHECK(error_of("graph: g\ninputs: {x: \"f32[2]\"}\nmodules: {f(a): f(a)}\nmain: y = f(x)\noutputs: [y]\n") ==
        "net.yaml:3:17: error: 'f' is inlined into itself, or calls are nested too deeply [E0702]");
}

TEST_CASE("frontend: split in a graph is slices") {
  const std::string head = "graph: g\ninputs: {x: \"f32[2, 6]\"}\nmain: |\n", tail = "outputs: [y]\n";
  const Result<Graph> graph = read(head + "  a, b = split(x, axis=-1)\n  y = b\n" + tail);
  INFO(graph.diagnostics().text());
  REQUIRE(graph.ok());
  const std::string text = to_text(*graph);
  CHECK(text.find("y: f32[2, 3] = slice(x, begin=[0, 3], size=[2, 3])") != std::string::npos);
  CHECK(read(head + "  a, b = split(x, axis=1, sizes=[2, 4])\n  y = b\n" + tail).ok());
  CHECK(error_of(head + "  a, b, c, y = split(x, axis=1)\n" + tail) ==
        "net.yaml:4:16: error: an axis of 6 elements has no 4 equal parts; sizes=[…] states others [E0702]");
  CHECK(error_of(head + "  a, y = split(x, axis=1, sizes=[2, 3])\n" + tail) ==
        "net.yaml:4:10: error: the sizes add up to 5, the axis has 6 elements [E0702]");
  CHECK(error_of(head + "  a, y = split(x, axes=1)\n" + tail) ==
        "net.yaml:4:19: error: split has no argument 'axes' [E0702]");
}

}  // namespace read_graph_yaml_test
