// How many kernels graphs become: exact counts, for operators of the library and for the same spelled with several of
// them.
#include <fmt/format.h>

#include <algorithm>

#include "algebra/contraction.h"
#include "catch.h"
#include "frontend/yaml/read_graph_yaml.h"
#include "ir/kernel/kernel_cost.h"
#include "isa/all_isas.h"
#include "lower/lower_kernel.h"
#include "opdef/read_ops.h"
#include "schedule/fused_kernel.h"
#include "schedule/plan_graph.h"
#include "schedule/plan_memory.h"
#include "semantics/library_semantics.h"
#include "semantics/node_kernels.h"
#include "shipped_library.h"

namespace kernel_counts_test {

using namespace tenon;

namespace {

const OpLibrary& shipped() { return tenon_test::shipped_ops(); }

/// inputs and main of a graph whose result is y (or the names given).
struct Case {
  std::string inputs, main, outputs = "y", parameters = "", sizes = "";
  const OpLibrary* ops = &shipped();
};

ExecutionPlan planned(const Case& c, const PlanOptions& options = {}) {
  const std::string text = "graph: g\n" + c.sizes + "inputs:\n" + c.inputs + c.parameters + "main: |\n" + c.main +
                           "outputs: [" + c.outputs + "]\n";
  const OpSemantics semantics = folding_semantics(*c.ops);
  auto read = read_graph_yaml(std::make_shared<const SourceFile>("g.yaml", text), semantics, {});
  if (!read.ok()) FAIL(read.diagnostics().text());
  auto graph = backward_graph(*c.ops, std::move(read).value());
  if (!graph.ok()) FAIL(graph.diagnostics().text());
  const Graph rewritten = apply_rewrites(*c.ops, tenon_test::shipped_rules(), std::move(graph).value()).graph;
  auto kernels = node_kernels(*c.ops, rewritten, "g.yaml");
  if (!kernels.ok()) FAIL(kernels.diagnostics().text());
  ExecutionPlan plan = plan_graph(rewritten, std::move(kernels).value(), options);
  const auto faults = verify(plan);
  if (!faults.empty()) FAIL(faults[0] + "\n" + to_text(plan));
  return plan;
}

/// Which schedules the kernels of the graph take at a level: the kind of each, by commas.
std::string schedules(const Case& c, const char* level) {
  std::string kinds;
  for (const PlanStep& step : planned(c).steps) {
    const std::string name =
        lower_kernel(step.kernel, tenon_test::shipped_blueprints(), *isa_from_name(level)).blueprint;
    kinds += (kinds.empty() ? "" : ",") + name.substr(0, name.find_first_of("/ "));
  }
  return kinds;
}

size_t kernels(const Case& c) { return planned(c).steps.size(); }

const std::string kMatrix = "  x: f32[32, 48]\n";
const std::string kImage = "  x: f32[1, 8, 10, 10]\n  w: f32[16, 8, 3, 3]\n  b: f32[16]\n";

}  // namespace

TEST_CASE("a chain of elementwise operators is one kernel") {
  CHECK(kernels({kMatrix, "  y = tanh(exp(neg(relu(x))))\n"}) == 1);
  CHECK(kernels({kMatrix + "  z: f32[48]\n", "  y = add(mul(x, z), sigmoid(x))\n"}) == 1);
}

TEST_CASE("kernels that need the same products make them once") {
  const std::string heads = "  q: f32[1, 2, 40, 8]\n  k: f32[1, 2, 40, 8]\n  v: f32[1, 2, 40, 8]\n";
  const auto statements = [](const Case& c) {
    const ExecutionPlan plan = planned(c);
    std::vector<size_t> out;
    for (const PlanStep& s : plan.steps) out.push_back(s.kernel.body.size());
    return out;
  };
  const std::string inputs = heads + "  w: f32[1, 2, 40, 8]\n";
  CHECK(statements({inputs, "  y = attention(q, k, v)\n  z = attention(q, k, w)\n", "y, z"}) == std::vector<size_t>{6});
  CHECK(statements({inputs, "  y = attention(q, k, v)\n  z = attention(q, k, w, scale=0.5)\n", "y, z"}) ==
        std::vector<size_t>{10});
  // Gradients: one statement for each of r, s, m, p, z, the gradient of p/z, dz, ds, dr, dq, dk, dv.
  const std::string loss = "  y = attention(q, k, v)\n  s = sum(tanh(matmul(y, f)))\n";
  const std::string all = heads + "  f: f32[8, 8]\n";
  CHECK(statements({all, loss + "  dq, dk, dv = grad(s, q, k, v)\n", "dq, dk, dv"}).back() == 12);
  CHECK(statements({all, loss + "  dq, dv = grad(s, q, v)\n", "dq, dv"}).back() == 11);
}

TEST_CASE("gradients of attention in f16 are one chain, which converts sums before its last product") {
  const Case c{"  q: f16[1, 2, 40, 8]\n  k: f16[1, 2, 40, 8]\n  v: f16[1, 2, 40, 8]\n  f: f16[8, 8]\n",
               "  s = sum(tanh(matmul(attention(q, k, v), f)))\n  dq, dk, dv = grad(s, q, k, v)\n", "dq, dk, dv"};
  CHECK(schedules(c, "x86-64-v3").ends_with(",row_chain"));
  CHECK(planned(c).steps.back().kernel.body.size() == 13);  // each product once
}

TEST_CASE("gradients that need the same recurrences make them once") {
  const char* text = R"(
ops:
  - op: filtered
    types: {T: float}
    in: {X: "T[B, L]", A: "T[B, L]", C: "T[B, L]"}
    out: {Y: "T[B, L]"}
    body: |
      h[b,t] = A[b,t]*padded(h[b,t - 1], 0) + X[b,t]
      Y[b,t] = C[b,t]*h[b,t]
)";
  const OpLibrary ops = tenon_test::wholly_read(read_ops(tenon_test::yaml_files("opdefs"),
                                                         {std::make_shared<const SourceFile>("own.yaml", text)},
                                                         tenon_test::frame_files(TENON_CHECKOUT)));
  const ExecutionPlan plan =
      planned({"  x: f32[4, 50]\n  a: f32[4, 50]\n  c: f32[4, 50]\n",
               "  s = sum(filtered(x, a, c))\n  dx, da, dc = grad(s, x, a, c)\n", "dx, da, dc", "", "", &ops});
  REQUIRE(!plan.steps.empty());
  INFO(to_text(plan));
  const std::vector<KernelStatement>& body = plan.steps.back().kernel.body;
  CHECK(body.size() == 5);  // h, its gradient, and three results
  CHECK(count_if(body, is_in_recurrence) == 2);
}

TEST_CASE("a kernel takes in so many operators and no more") {
  const auto chain = [](size_t length) {
    std::string main;
    for (size_t i = 0; i < length; ++i)
      main += fmt::format("  {} = tanh({})\n", i + 1 == length ? "y" : fmt::format("h{}", i),
                          i == 0 ? "x" : fmt::format("h{}", i - 1));
    return kernels({kMatrix, main});
  };
  CHECK(chain(kMostOperators) == 1);
  CHECK(chain(kMostOperators + 1) == 2);
  CHECK(chain(20 * kMostOperators) == 20);
}

TEST_CASE("products and convolutions take bias, activation and residual") {
  CHECK(kernels({kMatrix + "  w: f32[48, 16]\n  b: f32[16]\n", "  y = relu(add(gemm(x, w), b))\n"}) == 1);
  CHECK(kernels({kImage, "  y = relu(conv2d(x, w, b, pads=[1, 1, 1, 1]))\n"}) == 1);
  CHECK(kernels({kImage + "  r: f32[1, 16, 10, 10]\n", "  y = relu(add(conv2d(x, w, b, pads=[1, 1, 1, 1]), r))\n"}) ==
        1);
}

TEST_CASE("groups of filters under an activation are still panels and tiles") {
  const std::string grouped = "  x: f32[1, 8, 10, 10]\n  w: f32[24, 2, 3, 3]\n  b: f32[24]\n  r: f32[1, 24, 10, 10]\n";
  for (const char* y : {"relu(conv2d(x, w, b, pads=[1, 1, 1, 1], groups=4))",
                        "relu(add(conv2d(x, w, b, pads=[1, 1, 1, 1], groups=4), r))"}) {
    const ExecutionPlan p = planned({grouped, std::string("  y = ") + y + "\n"});
    REQUIRE(p.steps.size() == 1);
    const auto c = find_contraction(p.steps[0].kernel);
    REQUIRE(c.has_value());
    REQUIRE(c->columns.size() == 1);
    CHECK(constant_value(c->columns[0].extent) == 6);  // the filters of one group
    REQUIRE(c->outer_right.size() == 1);
    CHECK(constant_value(c->outer_right[0].extent) == 4);
  }
}

TEST_CASE("an activation that uses its operand twice leaves one sum") {
  for (const char* activation : {"silu", "gelu", "hard_swish", "leaky_relu"})
    for (const char* around : {"{}", "add(r, {})", "add({}, r)", "relu(sub({}, r))"}) {
      const std::string activated = std::string(activation) + "(conv2d(x, w, b, pads=[1, 1, 1, 1]))";
      const ExecutionPlan p = planned(
          {kImage + "  r: f32[1, 16, 10, 10]\n", "  y = " + fmt::format(fmt::runtime(around), activated) + "\n"});
      REQUIRE(p.steps.size() == 1);
      CHECK(find_contraction(p.steps[0].kernel).has_value());
      CHECK(cost_of(p.steps[0].kernel)->flops < 2.5 * 1600 * 8 * 9);
    }
}

TEST_CASE("a value that both operands of its reader are leaves one sum") {
  const ExecutionPlan p = planned({"  x: f32[5, 7]\n  w: f32[3, 7]\n", "  t = dense(x, w)\n  y = copysign(t, t)\n"});
  REQUIRE(p.steps.size() == 1);
  CHECK(find_contraction(p.steps[0].kernel).has_value());
}

TEST_CASE("heads that become features are two depths of a product") {
  const ExecutionPlan p = planned({"  x: f32[1, 4, 16, 8]\n  w: f32[32, 24]\n",
                                   "  y = matmul(reshape(transpose(x, perm=[0, 2, 1, 3]), shape=[1, 16, 32]), w)\n"});
  REQUIRE(p.steps.size() == 1);
  const auto c = find_contraction(p.steps[0].kernel);
  REQUIRE(c.has_value());
  CHECK(c->depth.size() == 2);
}

TEST_CASE("a flattened image under an activation is rows of a product") {
  const ExecutionPlan p = planned({"  x: f32[1, 8, 10, 12]\n  w: f32[16, 8, 1, 1]\n",
                                   "  y = sigmoid(reshape(conv2d(x, w), shape=[1, 16, 120]))\n"});
  REQUIRE(p.steps.size() == 1);
  CHECK(find_contraction(p.steps[0].kernel).has_value());
}

TEST_CASE("a depth of three flattened dimensions is three depths") {
  const ExecutionPlan p = planned({"  x: f32[2, 5, 4, 3]\n  w: f32[60, 24]\n",
                                   "  y = gemm(reshape(transpose(x, perm=[0, 2, 3, 1]), shape=[2, 60]), w)\n"});
  REQUIRE(p.steps.size() == 1);
  const auto c = find_contraction(p.steps[0].kernel);
  REQUIRE(c.has_value());
  CHECK(c->depth.size() == 3);
}

TEST_CASE("places that would be divided are moved beforehand") {
  const std::string inputs = "  x: f32[1, 2, 4, 3, 2, 3]\n  w: f32[4, 1, 3, 3]\n";
  const ExecutionPlan p = planned({inputs,
                                   "  t = transpose(x, perm=[0, 2, 3, 1, 5, 4])\n  y = conv2d(reshape(t, shape=[1, 4, "
                                   "6, 6]), w, pads=[1, 1, 1, 1], groups=4)\n"});
  CHECK(p.steps.size() == 2);
}

TEST_CASE("a result in another shape is written where it belongs") {
  CHECK(kernels({kImage, "  y = reshape(conv2d(x, w), shape=[16, 64])\n"}) == 1);
  const ExecutionPlan p =
      planned({kMatrix, "  t = transpose(x, perm=[1, 0])\n  z = exp(t)\n  y = reshape(t, shape=[16, 96])\n", "y, z"});
  CHECK(p.steps.size() == 2);
}

TEST_CASE("shuffled channels go into a padded convolution that stays a stencil") {
  const std::string inputs = "  x: f32[1, 24, 10, 10]\n  w: f32[24, 1, 3, 3]\n";
  const ExecutionPlan p = planned({inputs,
                                   "  t = transpose(reshape(x, shape=[1, 4, 6, 10, 10]), perm=[0, 2, 1, 3, 4])\n  y = "
                                   "conv2d(reshape(t, shape=[1, 24, 10, 10]), w, pads=[1, 1, 1, 1], groups=24)\n"});
  REQUIRE(p.steps.size() == 1);
  const auto c = find_contraction(p.steps[0].kernel);
  REQUIRE(c.has_value());
  CHECK(c->is_stencil());
  CHECK(p.steps[0].kernel.body[0].loops.size() ==
        6);  // image, two loops of channels, one filter each, rows and columns
}

TEST_CASE("an open batch is fused as a fixed one") {
  const std::string image = "  x: f32[{0}, 8, 10, 10]\n  w: f32[16, 8, 3, 3]\n  b: f32[16]\n",
                    rows = "  x: f32[{0}, 4, 16, 8]\n  w: f32[32, 24]\n";
  const std::string pads = "pads=[1, 1, 1, 1]";
  const std::vector<Case> cases = {
      {image, "  y = relu(conv2d(x, w, b, " + pads + "))\n"},
      {image + "  r: f32[{0}, 16, 10, 10]\n", "  y = relu(add(conv2d(x, w, b, " + pads + "), r))\n"},
      {"  x: f32[{0}, 10, 10, 8]\n  w: f32[16, 8, 3, 3]\n",
       "  y = conv2d(transpose(x, perm=[0, 3, 1, 2]), w, " + pads + ")\n"},
      {image, "  y = sigmoid(reshape(conv2d(x, w), shape=[{0}, 16, 64]))\n"},
      {rows, "  y = matmul(reshape(transpose(x, perm=[0, 2, 1, 3]), shape=[{0}, 16, 32]), w)\n"},
      {rows, "  y = relu(reshape(matmul(reshape(x, shape=[{0}*16, 32]), w), shape=[{0}, 4, 4, 24]))\n"},
  };
  for (const Case& c : cases) {
    const auto with = [&](const std::string& batch, const std::string& sizes) {
      return planned(
                 {fmt::format(fmt::runtime(c.inputs), batch), fmt::format(fmt::runtime(c.main), batch), "y", "", sizes})
          .steps.size();
    };
    INFO(c.main);
    CHECK(with("N", "sizes: {N: 1..9}\n") == with("5", ""));
  }
}

TEST_CASE("open images are fused through strides, whose extents are quotients") {
  const Case c{"  x: f32[1, 8, H, W]\n  w: f32[16, 8, 3, 3]\n  v: f32[8, 16, 3, 3]\n",
               "  a = relu(conv2d(x, w, pads=[1, 1, 1, 1], stride=[2, 2]))\n  y = relu(conv2d(a, v, pads=[1, 1, 1, 1], "
               "stride=[2, 2]))\n",
               "y", "", "sizes: {H: 8..40, W: 8..40}\n"};
  CHECK(kernels(c) == 2);
}

TEST_CASE("the batch does not decide whether pixels or filters are in panels") {
  const auto kinds = [](const std::string& batch, const std::string& sizes) {
    const std::string weights = "parameters:\n  w: {type: \"f32[64, 32, 1, 1]\", from: randn()}\n";
    return schedules(
        {fmt::format("  x: f32[{}, 32, 6, 6]\n", batch), "  y = relu(conv2d(x, w))\n", "y", weights, sizes},
        "x86-64-v4");
  };
  CHECK(kinds("1", "") == "contraction_transposed");
  CHECK(kinds("8", "") == "contraction_transposed");
  CHECK(kinds("N", "sizes: {N: 1..8}\n") == "contraction_transposed");
}

TEST_CASE("what only moves elements goes into its reader") {
  CHECK(kernels({kImage, "  y = conv2d(pad(x, before=[0, 0, 1, 1], after=[0, 0, 1, 1]), w, b)\n"}) == 1);
  CHECK(kernels({kMatrix + "  z: f32[48, 32]\n", "  y = add(transpose(x, perm=[1, 0]), z)\n"}) == 1);
  CHECK(kernels({"  x: i32[4, 48]\n", "  i = arange(stop=48, dtype=i32)\n  y = mul(x, i)\n"}) == 1);
}

TEST_CASE("a concatenation of any number of inputs is one kernel") {
  CHECK(kernels({"  a: f32[2, 3]\n  b: f32[2, 5]\n  c: f32[2, 4]\n  d: f32[2, 1]\n",
                 "  y = concat(a, b, c, d, axis=1)\n"}) == 1);
}

TEST_CASE("a concatenation of all that another one joins, and more, holds that one") {
  const std::string parts =
      "  p = conv2d(x, v, pads=[1, 1, 1, 1])\n  u = concat(x, p, axis=1)\n  q = conv2d(u, w, pads=[1, 1, 1, 1])\n";
  const std::string given = "  z: f32[1, 2, 6, 6]\n  v: f32[3, 2, 3, 3]\n  w: f32[3, 5, 3, 3]\n  k: f32[4, 8, 1, 1]\n";
  const auto count = [&](const std::string& joined) {
    return kernels({given, "  x = relu(z)\n" + parts + "  t = concat(" + joined + ", axis=1)\n  y = conv2d(t, k)\n"});
  };
  CHECK(count("x, p, q") == 4);
  CHECK(count("q, x, p") == 4);
  // apart from each other, or in another order, they are copied
  CHECK(count("x, q, p") == 5);
  CHECK(count("p, x, q") == 5);
}

TEST_CASE("pieces of a concatenation are written where they belong") {
  CHECK(kernels({"  a: f32[1, 3, 7]\n  b: f32[1, 5, 7]\n", "  y = concat(exp(a), sqrt(b), axis=1)\n"}) == 2);
}

TEST_CASE("products that loops hide are lowered by panels and tiles") {
  const std::string grouped = "  x: f32[1, 8, 10, 10]\n  w: f32[24, 2, 3, 3]\n";
  const std::string heads = "  x: f32[1, 4, 16, 8]\n  w: f32[32, 24]\n",
                    image = "  x: f32[1, 8, 10, 12]\n  w: f32[16, 8, 1, 1]\n";
  const std::string chain = "  q: f32[1, 2, 256, 64]\n  k: f32[1, 2, 256, 64]\n  v: f32[1, 2, 256, 64]\n";
  const std::string channels = "  x: f32[1, 24, 10, 10]\n  w: f32[24, 1, 3, 3]\n";
  for (const char* level : {"x86-64-v2", "x86-64-v3", "x86-64-v4", "neon"}) {
    INFO(level);
    CHECK(schedules({kImage, "  y = silu(conv2d(x, w, b, pads=[1, 1, 1, 1]))\n"}, level) == "contraction_transposed");
    CHECK(schedules({grouped, "  y = relu(conv2d(x, w, pads=[1, 1, 1, 1], groups=4))\n"}, level)
              .starts_with("contraction_transposed"));
    CHECK(schedules({heads, "  y = matmul(reshape(transpose(x, perm=[0, 2, 1, 3]), shape=[1, 16, 32]), w)\n"}, level) ==
          "contraction");
    CHECK(schedules({image, "  y = sigmoid(reshape(conv2d(x, w), shape=[1, 16, 120]))\n"}, level) == "contraction");
    CHECK(schedules({chain, "  y = attention(q, k, v)\n"}, level) == "row_chain");
    CHECK(schedules({channels,
                     "  t = transpose(reshape(x, shape=[1, 4, 6, 10, 10]), perm=[0, 2, 1, 3, 4])\n"
                     "  y = conv2d(reshape(t, shape=[1, 24, 10, 10]), w, pads=[1, 1, 1, 1], groups=24)\n"},
                    level) == "stencil");
  }
}

TEST_CASE("row operators are one kernel each") {
  for (const char* call : {"softmax(x)", "log_softmax(x)", "gelu(x)", "gelu_tanh(x)"})
    CHECK(kernels({kMatrix, std::string("  y = ") + call + "\n"}) == 1);
  CHECK(kernels({kMatrix + "  g: f32[48]\n  b: f32[48]\n", "  y = layernorm(x, g, b)\n"}) == 1);
  CHECK(kernels({kMatrix + "  g: f32[48]\n", "  y = rms_norm(x, g)\n"}) == 1);
  CHECK(kernels({kMatrix + "  l: i64[32]\n", "  y = cross_entropy(x, l)\n"}) == 1);
}

TEST_CASE("row operators in other spellings are one kernel too") {
  CHECK(kernels(
            {kMatrix,
             "  e = exp(sub(x, max(x, axes=[1], keepdims=true)))\n  y = div(e, sum(e, axes=[1], keepdims=true))\n"}) ==
        1);
  CHECK(kernels({kMatrix + "  g: f32[48]\n  b: f32[48]\n",
                 "  d = sub(x, mean(x, axes=[1], keepdims=true))\n  v = mean(mul(d, d), axes=[1], keepdims=true)\n"
                 "  y = add(mul(div(d, sqrt(add(v, 0.00001))), g), b)\n"}) == 1);
  CHECK(kernels({kMatrix + "  g: f32[48]\n",
                 "  r = mean(mul(x, x), axes=[1], keepdims=true)\n  y = mul(mul(x, rsqrt(add(r, 0.00001))), g)\n"}) ==
        1);
  CHECK(kernels({kMatrix, "  y = mul(mul(x, 0.5), add(erf(mul(x, 0.70710678)), 1.0))\n"}) == 1);
  CHECK(
      kernels(
          {kMatrix,
           "  m = mean(x, axes=[1], keepdims=true)\n  d = sub(x, m)\n  v = mean(mul(d, d), axes=[1], keepdims=true)\n",
           "m, v"}) == 1);
}

TEST_CASE("attention is one kernel") {
  CHECK(kernels({"  q: f32[1, 4, 16, 8]\n  k: f32[1, 4, 16, 8]\n  v: f32[1, 4, 16, 8]\n",
                 "  y = attention(q, k, v)\n"}) == 1);
}

TEST_CASE("attention spelled out is one kernel where its matrix of scores would be large") {
  const auto heads = [](const std::string& length) {
    return "  q: f32[1, 4, " + length + ", 8]\n  k: f32[1, 4, " + length + ", 8]\n  v: f32[1, 4, " + length +
           ", 8]\n  m: f32[1, 1, 1, " + length + "]\n";
  };
  const std::string plain = "  y = matmul(softmax(mul(matmul(q, transpose(k, perm=[0, 1, 3, 2])), 0.35)), v)\n",
                    masked =
                        "  y = matmul(softmax(add(mul(matmul(q, transpose(k, perm=[0, 1, 3, 2])), 0.35), m)), v)\n";
  CHECK(kernels({heads("256"), plain}) == 1);
  CHECK(kernels({heads("256"), masked}) == 1);
  CHECK(kernels({heads("16"), plain}) == 3);
}

TEST_CASE("batch norm by constants costs nothing after a convolution or a product") {
  const std::string statistics =
      "  g: {type: \"f32[16]\", from: randn()}\n  h: {type: \"f32[16]\", from: randn()}\n  m: {type: \"f32[16]\", "
      "from: randn()}\n  u: {type: \"f32[16]\", from: rand()}\n";
  const std::string conv = "parameters:\n  w: {type: \"f32[16, 8, 3, 3]\", from: randn()}\n" + statistics,
                    gemm = "parameters:\n  w: {type: \"f32[48, 16]\", from: randn()}\n" + statistics;
  const ExecutionPlan p =
      planned({"  x: f32[1, 8, 10, 10]\n", "  y = relu(batch_norm(conv2d(x, w), g, h, m, u))\n", "y", conv});
  REQUIRE(p.steps.size() == 1);
  CHECK(p.steps[0].kernel.fused == std::vector<std::string>{"conv2d", "relu"});
  const ExecutionPlan q = planned({kMatrix, "  y = batch_norm(gemm(x, w), g, h, m, u)\n", "y", gemm});
  REQUIRE(q.steps.size() == 1);
  CHECK(q.steps[0].kernel.fused == std::vector<std::string>{"gemm"});
}

TEST_CASE("random numbers and dequantised operands are part of one kernel") {
  CHECK(kernels({kMatrix, "  y = mul(x, randn(shape=[32, 48], seed=3))\n"}) == 1);
  CHECK(kernels({kMatrix, "  y = dropout(x, ratio=0.5, seed=3)\n"}) == 1);
  const std::string weights =
      "parameters:\n  w: {type: \"f32[48, 16]\", from: \"rand(lo=-120, hi=120)\"}\n  s: {type: \"f32[]\", from: "
      "full(value=0.02)}\n";
  CHECK(kernels({kMatrix, "  y = gemm(x, dequantize(cast(w, dtype=i8), s))\n", "y", weights}) == 1);
  const std::string inputs = "  w: i8[48, 16]\n  s: f32[]\n  t: f32[16]\n  z: i8[16]\n  d: f32[48, 1]\n  b: f32[16]\n";
  CHECK(kernels({kMatrix + inputs, "  y = gemm(x, dequantize(w, s))\n"}) == 1);
  CHECK(kernels({kMatrix + inputs, "  y = relu(gemm(x, dequantize(w, t, z), b))\n"}) == 1);
  CHECK(kernels({kMatrix + inputs, "  y = gemm(x, dequantize(w, d))\n"}) == 1);
  CHECK(kernels({kMatrix + inputs, "  y = gemm(exp(x), dequantize(w, s))\n"}) == 2);
}

TEST_CASE("a quantised convolution is one kernel on integers") {
  const std::string parameters =
      "parameters:\n  wf: {type: \"f32[16, 8, 3, 3]\", from: \"rand(lo=-120, hi=120)\"}\n  s: {type: \"f32[]\", from: "
      "full(value=0.02)}\n";
  const ExecutionPlan p = planned(
      {"  x: i8[1, 8, 10, 10]\n",
       "  w = dequantize(cast(wf, dtype=i8), s)\n  y = quantize(relu(conv2d(dequantize(x, s), w)), s, dtype=u8)\n", "y",
       parameters});
  REQUIRE(p.steps.size() == 1);
  CHECK(p.steps[0].kernel.fused == std::vector<std::string>{"conv2d_i32", "requantize"});
}

TEST_CASE("a reduction is never computed twice") {
  const ExecutionPlan p = planned({kMatrix, "  s = sum(x, axes=[0])\n  a = exp(s)\n  b = tanh(s)\n", "a, b"});
  size_t sums = 0;
  for (const PlanStep& s : p.steps)
    sums += static_cast<size_t>(std::count(s.kernel.fused.begin(), s.kernel.fused.end(), "sum"));
  CHECK(sums == 1);
}

TEST_CASE("what one sum and several formulas make is one kernel, whatever comes first") {
  CHECK(kernels({kMatrix + "  z: f32[32]\n", "  y = add(sum(x, axes=[1]), tanh(z))\n"}) == 1);
  CHECK(kernels({kMatrix + "  z: f32[32]\n", "  y = add(tanh(z), sum(x, axes=[1]))\n"}) == 1);
}

TEST_CASE("constant places that are inside are neither wrapped nor checked") {
  const auto gathered = [](const std::string& places) {
    const ExecutionPlan p = planned(
        {kMatrix, "  y = gather(x, i, axis=1)\n", "y", "parameters:\n  i: {type: \"i64[5]\", from: " + places + "}\n"});
    REQUIRE(p.steps.size() == 1);
    return std::pair(p.steps[0].kernel.checks.size(), to_text(p.steps[0].kernel).find("select") != std::string::npos);
  };
  CHECK(gathered("\"arange(start=43, stop=48)\"") == std::pair(size_t{0}, false));
  CHECK(gathered("\"arange(start=-2, stop=3)\"") == std::pair(size_t{0}, true));
  CHECK(gathered("\"arange(start=44, stop=49)\"") == std::pair(size_t{1}, false));
}

TEST_CASE("rows that are looked up are moved before a product") {
  const std::string places = "parameters:\n  i: {type: \"i64[5]\", from: \"arange(start=3, stop=8)\"}\n";
  CHECK(schedules({kMatrix + "  w: f32[48, 16]\n", "  y = gemm(gather(x, i, axis=0), w)\n", "y", places},
                  "x86-64-v3") == "loops,contraction");
}

TEST_CASE("columns that are never long have one body") {
  const auto summed = [](const std::string& sizes) {
    return schedules({"  x: f32[T, 64]\n", "  y = sum(x, axes=[0], keepdims=false)\n", "y", "", sizes}, "x86-64-v3");
  };
  CHECK(summed("sizes: {T: 1..16}\n") == "loops");
  CHECK(summed("sizes: {T: 1..16384}\n") == "loops");
}

TEST_CASE("equal kernels are written once") {
  const ExecutionPlan p =
      planned({kImage + "  v: f32[16, 8, 3, 3]\n", "  y = conv2d(x, w)\n  z = conv2d(x, v)\n", "y, z"});
  REQUIRE(p.steps.size() == 2);
  CHECK(p.steps[1].twin == 0);
}

TEST_CASE("a result takes the memory of an operand that nobody needs any more") {
  ExecutionPlan p =
      planned({kMatrix + "  w: f32[48, 48]\n  v: f32[48, 48]\n", "  h = gemm(x, w)\n  y = add(gemm(exp(h), v), h)\n"});
  p = plan_memory(p, std::vector<StepWorkspace>(p.steps.size()), 1);
  CHECK(p.arena_bytes == 32 * 48 * 4);
}

TEST_CASE("constant panels are kept once for all products of a batch") {
  const std::string weights = "parameters:\n  w: {type: \"f32[16, 32]\", from: \"rand(lo=-9, hi=9)\"}\n";
  const auto constant_bytes = [&](const std::string& type, const std::string& main) {
    int64_t bytes = 0;
    for (const PlanBuffer& b : planned({"  x: " + type + "[5, 9, 16]\n", main, "y", weights}).buffers)
      if (b.data) bytes += b.bytes;
    return bytes;
  };
  CHECK(constant_bytes("f32", "  y = matmul(x, w)\n") == 16 * 32 * 4);
  CHECK(constant_bytes("i8", "  v = cast(w, dtype=i8)\n  y = matmul_i32(x, v)\n") == 16 * 32);
}

}  // namespace kernel_counts_test
