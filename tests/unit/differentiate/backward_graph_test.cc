// Gradients in graphs, next to differences of the graph itself: the oracle runs both.
#include <cmath>
#include <cstring>
#include <random>

#include "algebra/contraction.h"
#include "catch.h"
#include "frontend/graph/graph_builder.h"
#include "frontend/yaml/read_graph_yaml.h"
#include "ir/graph/graph_passes.h"
#include "oracle/run_graph.h"
#include "schedule/fused_kernel.h"
#include "semantics/library_semantics.h"
#include "semantics/node_kernels.h"
#include "shipped_library.h"

namespace backward_graph_test {

using namespace tenon;

namespace {

const OpLibrary& shipped() { return tenon_test::shipped_ops(); }

/// A graph that computes s of f64 inputs; integer inputs are indices below `classes`.
struct Case {
  std::string inputs, main, wrt, modules = "";
  int64_t classes = 3;
};

Result<Graph> backward_of(const Case& c, const std::string& outputs) {
  const OpSemantics semantics = folding_semantics(shipped());
  const std::string text = "graph: g\n" + (c.modules.empty() ? "" : "modules:\n" + c.modules) + "inputs:\n" + c.inputs +
                           "main: |\n" + c.main + "outputs: [" + outputs + "]\n";
  auto graph = read_graph_yaml(std::make_shared<const SourceFile>("g.yaml", text), semantics, {});
  if (!graph.ok()) FAIL(graph.diagnostics().text());
  return backward_graph(shipped(), std::move(graph).value());
}

class Model {
 public:
  explicit Model(Graph graph) : graph_(std::move(graph)) {
    INFO(to_text(graph_));
    REQUIRE(verify(graph_) == std::vector<std::string>{});
    auto kernels = node_kernels(shipped(), graph_, "g.yaml");
    INFO(kernels.diagnostics().text());
    REQUIRE(kernels.ok());
    kernels_ = std::move(kernels).value();
    for (const NodeKernel& k : kernels_) {
      INFO(to_text(k.kernel));
      REQUIRE(verify(k.kernel) == std::vector<std::string>{});
    }
  }

  const Graph& graph() const { return graph_; }
  const Value& input(size_t i) const { return graph_.values[static_cast<size_t>(graph_.inputs[i])]; }

  std::vector<TensorData> run(const std::vector<TensorData>& inputs) const {
    const GraphRun r = run_graph(graph_, kernels_, {}, inputs);
    INFO(r.origin << to_text(graph_));
    REQUIRE(r.status == OracleStatus::Done);
    return r.outputs;
  }

 private:
  Graph graph_;
  std::vector<NodeKernel> kernels_;
};

TensorData drawn(const Value& v, int64_t classes, std::mt19937& random) {
  TensorData t{v.dtype, {}, {}};
  for (const SizeExpr& d : v.dims) t.dims.push_back(d.value);
  t.bytes.resize(static_cast<size_t>(element_count(t.dims)) * 8);
  std::uniform_real_distribution<double> next(-1.5, 1.5);
  for (int64_t i = 0; i < element_count(t.dims); ++i)
    if (v.dtype == DType::F64) reinterpret_cast<double*>(t.bytes.data())[i] = next(random);
    else
      reinterpret_cast<int64_t*>(t.bytes.data())[i] = static_cast<int64_t>(random() % static_cast<uint64_t>(classes));
  return t;
}

double& element(TensorData& t, int64_t i) { return reinterpret_cast<double*>(t.bytes.data())[i]; }

/// The gradients of s with respect to all of `wrt`, named by commas, which are inputs.
void check(const Case& c) {
  const std::string& names = c.wrt;
  std::string results;
  std::vector<std::string> wrt;
  for (size_t from = 0; from < names.size();) {
    const size_t to = std::min(names.find(", ", from), names.size());
    wrt.push_back(names.substr(from, to - from));
    results += (results.empty() ? "d" : ", d") + wrt.back();
    from = to + 2;
  }
  Case asking = c;
  asking.main += "  " + results + " = grad(s, " + names + ")\n";
  INFO(asking.main);
  auto graph = backward_of(asking, "s, " + results);
  INFO(graph.diagnostics().text());
  REQUIRE(graph.ok());
  const Model model(std::move(graph).value());
  std::mt19937 random(7);
  std::vector<TensorData> inputs;
  for (size_t i = 0; i < model.graph().inputs.size(); ++i) inputs.push_back(drawn(model.input(i), c.classes, random));
  std::vector<TensorData> made = model.run(inputs);
  for (size_t w = 0; w < wrt.size(); ++w) {
    size_t at = 0;
    while (model.input(at).original != wrt[w]) ++at;
    REQUIRE(made[w + 1].dims == inputs[at].dims);
    for (int64_t k = 0; k < element_count(inputs[at].dims); ++k) {
      const double x = element(inputs[at], k), h = 1e-5;
      element(inputs[at], k) = x + h;
      const double up = element(model.run(inputs)[0], 0);
      element(inputs[at], k) = x - h;
      const double down = element(model.run(inputs)[0], 0);
      element(inputs[at], k) = x;
      INFO("d" << wrt[w] << " element " << k);
      CHECK(std::fabs(element(made[w + 1], k) - (up - down) / (2 * h)) <=
            1e-7 * (1 + std::fabs(up) + std::fabs(element(made[w + 1], k))));
    }
  }
}

}  // namespace

TEST_CASE("gradients of a graph are those of its operators in reverse") {
  check({"  x: f64[3, 4]\n  W: f64[4, 5]\n  b: f64[5]\n  t: i64[3]\n",
         "  y = gemm(tanh(gemm(x, W, b)), transpose2d(W), x)\n"
         "  s = nll_loss_mean(log_softmax(y, axis=1), t)\n",
         "x, W, b"});
}

TEST_CASE("gradients of all uses of a value are summed") {
  check({"  x: f64[3, 4]\n  y: f64[4]\n", "  z = x*y + x\n  s = sum(z*z/(2 + sin(x)), axes=[0, 1])\n", "x, y"});
}

TEST_CASE("powers and products are operators of statements") {
  check({"  x: f64[3, 4]\n  W: f64[4, 2]\n", "  s = sum(-x**2 @ W - 2**2*x @ W**3)\n", "x, W"});
  const std::string head = "graph: g\ninputs: {x: \"f64[3, 3]\"}\noutputs: [y]\nmain: ";
  const OpSemantics semantics = library_semantics(shipped());
  const auto first_lines = [&](const std::string& main) {
    auto graph = read_graph_yaml(std::make_shared<SourceFile>("g.yaml", head + main + "\n"), semantics, {{}});
    return graph.ok() ? to_text(*graph) : graph.diagnostics().text();
  };
  CHECK(first_lines("y = -x**-1").find("y: f64[3, 3] = neg(") != std::string::npos);
  CHECK(first_lines("y = reshape(x, shape=[3**2**1])").find("y: f64[9] = ") != std::string::npos);
  CHECK(first_lines("y = x*(2 @ 3)").find("'@' takes tensors, not numbers") != std::string::npos);
  CHECK(first_lines("y = reshape(x, shape=[3**-2])").find("a number from 0 to 63") != std::string::npos);
}

TEST_CASE("gradients of a graph go through its complex values") {
  check({"  x: f64[3]\n  y: f64[3]\n",
         "  z = cast(x, dtype=c128)*cast(y, dtype=c128)\n  s = sum(cast(z*z, dtype=f64), axes=[0])\n", "x, y"});
}

TEST_CASE("operators of networks have gradients in graphs", "[slow]") {
  check({"  x: f64[2, 2, 6, 6]\n  w: f64[3, 2, 3, 3]\n  b: f64[3]\n  g: f64[3]\n",
         "  h = maxpool2d(tanh(conv2d(x, w, b, pads=[1, 1, 1, 1])), kernel=[2, 2], stride=[2, 2])\n"
         "  n = batch_norm(h, g, b, b, exp(g))\n"
         "  s = mean(sq(reshape(n, shape=[2, 27])), axes=[0, 1])\n",
         "x, w, b, g"});
  check({"  x: f64[2, 2, 3, 3]\n  w: f64[2, 3, 2, 2]\n",
         "  s = sum(sq(conv_transpose2d(x, w, stride=[2, 2])), axes=[0, 1, 2, 3])\n", "x, w"});
  check({"  q: f64[1, 2, 3, 4]\n  k: f64[1, 2, 3, 4]\n  v: f64[1, 2, 3, 4]\n",
         "  a = softmax(matmul(q, transpose(k, perm=[0, 1, 3, 2]))*0.5, axis=-1)\n"
         "  s = sum(sq(matmul(a, v)), axes=[0, 1, 2, 3])\n",
         "q, k, v"});
  check({"  q: f64[1, 2, 3, 4]\n  k: f64[1, 2, 3, 4]\n  v: f64[1, 2, 3, 4]\n",
         "  s = sum(sq(attention(q, k, v, causal=true)), axes=[0, 1, 2, 3])\n", "q, k, v"});
  check({"  E: f64[5, 3]\n  i: i64[4]\n  g: f64[3]\n  b: f64[3]\n",
         "  s = sum(sq(layernorm(gather(E, i, axis=0), g, b)), axes=[0, 1])\n", "E, g, b", "", 5});
}

TEST_CASE("gradients go through what moves elements") {
  check({"  x: f64[4, 6]\n",
         "  a, b, c = split(x, axis=1)\n"
         "  s = sum(concat([a*b, exp(c), slice(x, begin=[0, 2], size=[4, 2])], axis=1), axes=[0, 1])\n",
         "x"});
}

TEST_CASE("the gradient of a reshape is a reshape") {
  const Case c{"  a: f64[4, 6]\n  b: f64[1, 3, 2, 5]\n  d: f64[2, 30]\n  e: f64[60]\n",
               "  u = reshape(a, shape=[8, 3])\n  v = reshape(b, shape=[1, 30])\n"
               "  w = reshape(d, shape=[3, 1, 4, 5])\n  x = reshape(e, shape=[2, 5, 6])\n"
               "  s = sum(u*u*u) + sum(sin(v)*d) + sum(exp(w)) + sum(x*x*x)\n",
               "a, b, d, e"};
  check(c);
  auto graph = backward_of({c.inputs, c.main + "  da, db, dd, de = grad(s, a, b, d, e)\n", ""}, "da, db, dd, de");
  REQUIRE(graph.ok());
  auto kernels = node_kernels(shipped(), graph.value(), "g.yaml");
  REQUIRE(kernels.ok());
  int found = 0;
  for (const NodeKernel& k : kernels.value()) {
    if (k.kernel.op != "reshape_grad_dX") continue;
    INFO(to_text(k.kernel));
    CHECK(k.kernel.body.size() == 1);
    CHECK(k.kernel.body[0].update == Update::Assign);
    CHECK(std::holds_alternative<Read>(k.kernel.body[0].value->node));
    ++found;
  }
  CHECK(found == 4);
}

TEST_CASE("the gradient of what only limits elements reads its result") {
  check({"  x: \"f64[3, 5]\"\n", "  h = relu6(5*x)\n  s = sum(h*relu(x))\n", "x"});
  const auto graph = backward_of(
      {"  x: \"f64[3, 5]\"\n", "  h = relu6(5*x)\n  k = silu(h)\n  s = sum(k)\n  d = grad(s, x)\n", ""}, "s, d");
  REQUIRE(graph.ok());
  const std::string text = to_text(graph.value());
  INFO(text);
  CHECK(text.find("relu6_grad_dX(d_h, h)") != std::string::npos);
  CHECK(text.find("silu_grad_dX(d_k, h)") != std::string::npos);
}

TEST_CASE("the gradient of a loop is a loop that runs the other way") {
  const std::string cell = "  cell(t, h, x, W, U): |\n    n = tanh(x*W + matmul(h, U))\n    [n, n*h]\n";
  for (const std::string reversed : {"true", "false"})
    check({"  x: f64[3, 2, 3]\n  h: f64[2, 3]\n  W: f64[3]\n  U: f64[3, 3]\n",
           "  e, all = scan('cell', [h], [x], [W, U], " + reversed +
               ")\n  s = sum(sq(all), axes=[0, 1, 2]) + sum(e*W, axes=[0, 1])\n",
           "x, h, W, U", cell});
}

TEST_CASE("gradients that sum over rows are one sum over the rows of all iterations, behind the loop") {
  const std::string cell = "  cell(t, h, x, W, U, b): |\n    n = tanh(gemm(x, W) + gemm(h, U, b))\n    [n, n*h]\n";
  const Case graph{"  x: f64[3, 2, 4]\n  h: f64[2, 3]\n  W: f64[4, 3]\n  U: f64[3, 3]\n  b: f64[3]\n",
                   "  e, all = scan('cell', [h], [x], [W, U, b], REVERSED)\n  s = sum(sq(all)) + sum(e)\n",
                   "x, h, W, U, b", cell};
  for (const std::string reversed : {"true", "false"}) {
    Case c = graph;
    c.main.replace(c.main.find("REVERSED"), 8, reversed);
    check(c);
    c.main += "  dW, dU = grad(s, W, U)\n";
    const auto backward = backward_of(c, "s, dW, dU");
    REQUIRE(backward.ok());
    const std::string text = to_text(*backward);
    INFO(text);
    const size_t end = text.rfind("\n  }\n");
    CHECK(text.find("carried d_U") == std::string::npos);
    CHECK(text.find("gemm_grad_dB(all_d_", end) != std::string::npos);
    CHECK(text.find("gemm_grad_dB(") > end);
  }
}

TEST_CASE("gradients leave nested loops, and stay in a loop where rows are not summed") {
  const std::string inputs = "  y: f64[3, 2, 3]\n  z: f64[2, 2, 3]\n  h: f64[2, 3]\n  U: f64[3, 3]\n  V: f64[3, 3]\n";
  check({inputs, "  e = scan('cell', [h], [y], [z, U, V], false)[0]\n  s = sum(sq(e))\n", "y, z, h, U, V",
         "  inner(k, a, z, U): |\n    n = tanh(matmul(a, U) + z)\n    [n]\n"
         "  cell(t, h, y, z, U, V): |\n    e = scan('inner', [h], [z], [U], true)[0]\n    [gemm(e, V) + y]\n"});
  // the weight of a matrix on the left, a mean over the rows, one weight for each row
  check({"  x: f64[3, 2, 3]\n  h: f64[2, 3]\n  L: f64[2, 2]\n  w: f64[2, 3]\n  r: f64[3]\n",
         "  e = scan('cell', [h], [x], [L, w, r], false)[0]\n  s = sum(sq(e))\n", "x, h, L, w, r",
         "  cell(t, h, x, L, w, r): |\n    m = mean(h*r, axes=[0], keepdims=true)\n"
         "    [tanh(gemm(L, h) + x*w + gemm(L, x, transA=true) + m)]\n"});
  // one row, and what all rows share
  check({"  x: f64[3, 1, 3]\n  h: f64[1, 3]\n  U: f64[3, 3]\n  w: f64[1, 3]\n",
         "  e = scan('cell', [h], [x], [U, w], false)[0]\n  o = sum(sq(e))\n  d = grad(o, U)\n  s = sum(sq(d))\n",
         "x, h, U, w", "  cell(t, h, x, U, w): |\n    [tanh(matmul(h + x, U)*w)]\n"});
  // filters: each image has a place in all batches
  check({"  x: f64[2, 2, 1, 4]\n  h: f64[2, 1, 4]\n  F: f64[1, 1, 3]\n  b: f64[1]\n",
         "  e = scan('cell', [h], [x], [F, b], true)[0]\n  s = sum(sq(e))\n", "x, h, F, b",
         "  cell(t, h, x, F, b): |\n    [tanh(conv1d(h, F, b, pads=[1, 1]) + x)]\n"});
}

TEST_CASE("operators in a loop may use its number of the iteration") {
  const std::string cell =
      "  inner(k, a, c, x, t): |\n    r = reshape(slice(x, begin=[t, k], size=[1, 1]), shape=[])\n    [a*c + r]\n"
      "  cell(t, h, z, x, W): |\n    r = reshape(slice(x, begin=[4 - t, 0], size=[1, 3]), shape=[3])\n"
      "    n = tanh(h*r + scan('inner', [z], [W], [x, t], false)[0])\n    [n, n*h]\n";
  for (const std::string reversed : {"true", "false"})
    check({"  x: f64[5, 3]\n  z: f64[5]\n  h: f64[3]\n  W: f64[3]\n",
           "  e, all = scan('cell', [h], [z], [x, W], " + reversed + ")\n  s = sum(sq(all)) + sum(e*W)\n", "x, z, h, W",
           cell});
  check({"  x: f64[5, 3]\n  z: f64[5]\n  h: f64[3]\n  W: f64[3]\n",
         "  e, all = scan('cell', [h], [z], [x, W], false)\n  a, b = grad(sum(sq(all)), x, h)\n"
         "  s = sum(sq(a)) + sum(sq(b))\n",
         "x, z, h, W", cell});
}

TEST_CASE("a gradient can be differentiated again") {
  check({"  x: f64[3]\n  W: f64[3, 3]\n",
         "  e = sum(exp(matvec(W, x)), axes=[0])\n  g = grad(e, x)\n  s = sum(sq(g), axes=[0])\n", "x, W"});
}

namespace {

/// The derivative of the sum of `of` with respect to x where all elements of x and z are `at`.
double derivative(const std::string& of, double at) {
  auto graph = backward_of({"  x: f64[1]\n  z: f64[1]\n", "  d = grad(sum(" + of + "), x)\n", ""}, "d");
  INFO(of << graph.diagnostics().text());
  REQUIRE(graph.ok());
  const Model model(std::move(graph).value());
  std::mt19937 random(7);
  std::vector<TensorData> inputs = {drawn(model.input(0), 1, random), drawn(model.input(1), 1, random)};
  for (TensorData& t : inputs) element(t, 0) = at;
  return element(model.run(inputs)[0], 0);
}

}  // namespace

TEST_CASE("gradients of smooth functions hold where their spelling changes") {
  CHECK(derivative("sigmoid(x)", 0) == 0.25);
  CHECK(derivative("softplus(x)", 0) == 0.5);
  CHECK(derivative("log_sigmoid(x)", 0) == 0.5);
  CHECK(derivative("elu(x, alpha=2)", 0) == 2);
  CHECK(derivative("celu(x)", 0) == 1);
  CHECK(std::fabs(derivative("selu(x)", 0) - 1.7580993408473766) < 1e-15);
  CHECK(derivative("silu(x)", 0) == 0.5);
  CHECK(std::fabs(derivative("hypot(x, z)", -3) + std::sqrt(0.5)) < 1e-15);
  CHECK(derivative("hypot(x, z)", 0) == 0);
  CHECK(derivative("norm_l2(x)", 0) == 0);
  CHECK(derivative("l2_normalize(x)", 0) == 1);
  CHECK(derivative("bce_with_logits_loss(x, z)", 0) == 0.5);
  CHECK(derivative("grad(sum(softplus(x)), x)", 0) == 0.25);
}

TEST_CASE("what a gradient cannot go through is said with its place") {
  const auto hard = backward_of({"  x: f64[2, 3]\n", "  h = hardmax(x)\n  dx = grad(sum(h), x)\n", ""}, "dx");
  REQUIRE(!hard.ok());
  CHECK(hard.diagnostics().text() ==
        "g.yaml:5:7: error: hardmax has no gradient here: its definition says 'grad: none' [E0709]\n"
        "  note: the gradient is asked for at g.yaml:6:8\n");
}

TEST_CASE("what s does not depend on has the gradient 0") {
  auto graph = backward_of({"  x: f64[2]\n  z: f64[3]\n", "  dz = grad(sum(stop(x*2)), z)\n", ""}, "dz");
  REQUIRE(graph.ok());
  const Model model(std::move(graph).value());
  std::vector<TensorData> made = model.run(
      {TensorData{DType::F64, {2}, std::vector<uint8_t>(16)}, TensorData{DType::F64, {3}, std::vector<uint8_t>(24)}});
  for (int64_t k = 0; k < 3; ++k) CHECK(element(made[0], k) == 0);
}

TEST_CASE("the gradients of a convolution are sums of products over whole ranges") {
  auto graph = backward_of({"  x: f64[2, 3, 8, 8]\n  w: f64[4, 3, 3, 3]\n",
                            "  dx, dw = grad(sum(sq(conv2d(x, w, pads=[1, 1, 1, 1]))), x, w)\n", ""},
                           "dx, dw");
  REQUIRE(graph.ok());
  auto kernels = node_kernels(shipped(), *graph, "g.yaml");
  REQUIRE(kernels.ok());
  size_t contractions = 0;
  for (const NodeKernel& k : *kernels)
    if (k.kernel.name.find("conv2d_grad") == 0) contractions += find_contraction(with_split_loops(k.kernel)) ? 1 : 0;
  CHECK(contractions == 2);
}

TEST_CASE("gradients of a graph that does not ask for them itself") {
  const OpSemantics semantics = library_semantics(shipped());
  const std::string text =
      "graph: g\ninputs: {x: \"f64[2, 3]\", i: \"i64[2]\"}\nmain: |\n  h = tanh(x)\n  y = h*x\noutputs: [y]\n";
  auto read = read_graph_yaml(std::make_shared<const SourceFile>("g.yaml", text), semantics, {});
  REQUIRE(read.ok());
  Graph graph = std::move(read).value();
  CHECK(ask_gradient(graph, {"y", {"z"}}) == "the graph has no value 'z'");
  CHECK(ask_gradient(graph, {"y", {"i"}}) == "'i' is i64[2], and gradients are of floating values");
  CHECK(graph.outputs.size() == 1);
  REQUIRE(ask_gradient(graph, {"y", {"x", "h"}}).empty());
  REQUIRE(verify(graph) == std::vector<std::string>{});
  auto backward = backward_graph(shipped(), std::move(graph));
  REQUIRE(backward.ok());
  const Model model(std::move(backward).value());
  std::mt19937 random(3);
  const TensorData x = drawn(model.input(0), 2, random);
  std::vector<TensorData> made = model.run({x, TensorData{DType::I64, {2}, std::vector<uint8_t>(16)}});
  REQUIRE(made.size() == 3);
  for (int64_t k = 0; k < 6; ++k) {
    TensorData copy = x;
    const double v = element(copy, k), t = std::tanh(v);
    CHECK(std::fabs(element(made[1], k) - (t + v * (1 - t * t))) < 1e-12);
    CHECK(element(made[2], k) == v);
  }
}

namespace {

/// Of rows of x: h becomes tanh(exp(h)*x) where c says so, else a loop adds the elements of x to it; s is the sum of
/// all.
Graph branching_in_a_loop() {
  const OpSemantics semantics = library_semantics(shipped());
  GraphBuilder b(semantics, "g");
  const ValueId x = b.add_input("x", DType::F64, {3, 2}), h = b.add_input("h", DType::F64, {2}),
                c = b.add_input("c", DType::Bool, {3});
  const RegionId loop = b.begin_loop(3);
  const ValueId state = b.carry(loop, h), row = b.read_slice(loop, x, false), taken = b.read_slice(loop, c, false);
  const ValueId e = b.add_node("exp", {state}, {}, 1)[0];
  const RegionId first = b.begin_branch(taken, true);
  const ValueId product = b.add_node("mul", {e, row}, {}, 1)[0];
  const std::vector<ValueId> next = b.end_branch(first, {b.add_node("tanh", {product}, {}, 1)[0]}, {});
  const RegionId second = b.begin_branch(taken, false);
  const RegionId inner = b.begin_loop(2);
  const ValueId sum = b.carry(inner, state), one = b.read_slice(inner, row, false);
  const ValueId more = b.add_node("mul", {sum, one}, {}, 1)[0];
  const std::vector<ValueId> last = b.end_loop(inner, {{more}, {}, kNoValue});
  b.end_branch(second, {last[0]}, next);
  const std::vector<ValueId> out = b.end_loop(loop, {{next[0]}, {{next[0], false}}, kNoValue});
  const ValueId s = b.add_node("sum", {b.add_node("sq", {out[1]}, {}, 1)[0]},
                               {{"axes", std::vector<int64_t>{0, 1}}, {"keepdims", false}}, 1)[0];
  const std::vector<ValueId> gradients = b.add_gradients(s, {x, h});
  return b.finish({{"s", s}, {"dx", gradients[0]}, {"dh", gradients[1]}});
}

/// Outputs 1 and 2 are derivatives of output 0 with respect to inputs 0 and 1.
void check_derivatives(const Model& model, std::vector<TensorData> inputs) {
  std::vector<TensorData> made = model.run(inputs);
  for (size_t w = 0; w < 2; ++w)
    for (int64_t k = 0; k < element_count(inputs[w].dims); ++k) {
      const double at = element(inputs[w], k), h = 1e-5;
      element(inputs[w], k) = at + h;
      const double up = element(model.run(inputs)[0], 0);
      element(inputs[w], k) = at - h;
      const double down = element(model.run(inputs)[0], 0);
      element(inputs[w], k) = at;
      CHECK(std::fabs(element(made[w + 1], k) - (up - down) / (2 * h)) <= 1e-7 * (1 + std::fabs(up)));
    }
}

}  // namespace

TEST_CASE("gradients of a graph go through branches and loops in them") {
  auto backward = backward_graph(shipped(), branching_in_a_loop());
  INFO(backward.diagnostics().text());
  REQUIRE(backward.ok());
  const Model model(std::move(backward).value());
  for (const std::vector<uint8_t>& choice : {std::vector<uint8_t>{1, 0, 1}, {0, 1, 0}, {0, 0, 0}}) {
    std::mt19937 random(5);
    check_derivatives(model,
                      {drawn(model.input(0), 2, random), drawn(model.input(1), 2, random), {DType::Bool, {3}, choice}});
  }
}

namespace {

/// For each row of x, h becomes tanh(h*row + h) as often as n says, the loop's bound permits, and its elements stay
/// below 2 in sum; s is the sum of the squares of what these loops end with, one after another, or of its gradient.
Graph loops_that_data_end(int64_t bound, bool twice) {
  const OpSemantics semantics = library_semantics(shipped());
  GraphBuilder b(semantics, "g");
  const ValueId x = b.add_input("x", DType::F64, {3, 2}), h = b.add_input("h", DType::F64, {2}),
                n = b.add_input("n", DType::I64, {3});
  const Attributes whole{{"axes", std::vector<int64_t>{0}}, {"keepdims", false}};
  const RegionId rows = b.begin_loop(3);
  const ValueId state = b.carry(rows, h), row = b.read_slice(rows, x, false), times = b.read_slice(rows, n, false);
  const RegionId loop = b.begin_loop(bound);
  const ValueId inside = b.carry(loop, state);
  b.set_bounds(loop, times, kNoValue);
  const ValueId product = b.add_node("mul", {inside, row}, {}, 1)[0];
  const ValueId next = b.add_node("tanh", {b.add_node("add", {product, inside}, {}, 1)[0]}, {}, 1)[0];
  GraphBuilder::LoopEnd end{{next}, {}, kNoValue};
  const ValueId limit =
      b.add_node("full", {}, {{"shape", std::vector<int64_t>{}}, {"value", int64_t{1}}, {"dtype", DType::F64}}, 1)[0];
  end.continues = b.add_node("less", {b.add_node("sum", {next}, whole, 1)[0], limit}, {}, 1)[0];
  const ValueId last = b.end_loop(loop, end)[0];
  const std::vector<ValueId> out = b.end_loop(rows, {{last}, {{last, false}}, kNoValue});
  ValueId s = b.add_node("sum", {b.add_node("sq", {out[1]}, {}, 1)[0]},
                         {{"axes", std::vector<int64_t>{0, 1}}, {"keepdims", false}}, 1)[0];
  if (twice) s = b.add_node("sum", {b.add_node("sq", {b.add_gradients(s, {h})[0]}, {}, 1)[0]}, whole, 1)[0];
  const std::vector<ValueId> gradients = b.add_gradients(s, {x, h});
  return b.finish({{"s", s}, {"dx", gradients[0]}, {"dh", gradients[1]}});
}

TensorData numbers(const std::vector<int64_t>& values) {
  TensorData t{DType::I64, {static_cast<int64_t>(values.size())}, {}};
  t.bytes.resize(values.size() * 8);
  std::memcpy(t.bytes.data(), values.data(), t.bytes.size());
  return t;
}

}  // namespace

TEST_CASE("gradients of a graph go through loops that data end") {
  for (const auto& [bound, twice] : {std::pair(int64_t{6}, false), {kUnboundedTrip, false}, {int64_t{6}, true}}) {
    auto backward = backward_graph(shipped(), loops_that_data_end(bound, twice));
    INFO(backward.diagnostics().text());
    REQUIRE(backward.ok());
    const Model model(std::move(backward).value());
    for (const std::vector<int64_t>& times : {std::vector<int64_t>{3, 0, 5}, {1, 6, 2}, {0, 0, 0}}) {
      std::mt19937 random(11);
      check_derivatives(model, {drawn(model.input(0), 2, random), drawn(model.input(1), 2, random), numbers(times)});
    }
  }
}

}  // namespace backward_graph_test
