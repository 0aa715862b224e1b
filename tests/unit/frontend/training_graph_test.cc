// Graphs of training steps: their states, and numbers next to those of a loop that spells the optimizer out.
#include <cmath>
#include <cstring>

#include "catch.h"
#include "frontend/yaml/read_graph_yaml.h"
#include "oracle/run_graph.h"
#include "semantics/backward.h"
#include "semantics/fold_node.h"
#include "semantics/library_semantics.h"
#include "semantics/node_kernels.h"
#include "shipped_library.h"

using namespace tenon;

namespace {

const OpLibrary& shipped() { return tenon_test::shipped_ops(); }

// s = sum((w*x - t)^2)/4, whose gradient is w -> x*(w*x - t)/2.
std::string text_of(const std::string& optimizer, const std::string& loss = "mse_loss(y, t)") {
  return "graph: g\ninputs: {x: \"f64[4]\"}\nparameters:\n"
         "  w: {type: \"f64[4]\", from: full(value=2), grad: true}\n"
         "  c: {type: \"f64[4]\", from: full(value=3)}\n"
         "main: y = w*x\noutputs: [y]\ntrain:\n  targets: {t: \"f64[4]\"}\n  loss: " +
         loss + "\n  optimizer: " + optimizer + "\n";
}

Result<Graph> training_graph(const std::string& text) {
  const OpSemantics semantics =
      library_semantics(shipped(), [](const std::string& op, const std::vector<const TensorData*>& in,
                                      const Attributes& attrs, size_t) { return fold_node(shipped(), op, in, attrs); });
  return read_graph_yaml(std::make_shared<const SourceFile>("g.yaml", text), semantics, {}, true);
}

Graph step_of(const std::string& optimizer) {
  auto read = training_graph(text_of(optimizer));
  if (!read.ok()) FAIL(read.diagnostics().text());
  auto graph = backward_graph(shipped(), std::move(read).value());
  REQUIRE(graph.ok());
  REQUIRE(verify(*graph) == std::vector<std::string>{});
  return std::move(graph).value();
}

std::string error_of(const std::string& text) {
  const auto read = training_graph(text);
  const std::string all = read.diagnostics().text();
  return all.substr(0, all.find('\n'));
}

TensorData tensor(const std::vector<double>& elements) {
  TensorData t{DType::F64, {static_cast<int64_t>(elements.size())}, std::vector<uint8_t>(8 * elements.size())};
  std::memcpy(t.bytes.data(), elements.data(), t.bytes.size());
  return t;
}

std::string name_of_value(const Graph& g, ValueId v) { return g.values[static_cast<size_t>(v)].original; }

/// The parameter after so many steps.
std::vector<double> trained(const Graph& graph, const std::vector<double>& x, const std::vector<double>& t, int steps) {
  auto kernels = node_kernels(shipped(), graph, "g.yaml");
  REQUIRE(kernels.ok());
  std::map<ValueId, TensorData> now = {{graph.inputs[0], tensor(x)}, {graph.inputs[1], tensor(t)}};
  for (const StatePair& s : graph.state) {
    const Value& v = graph.values[static_cast<size_t>(s.input)];
    TensorData zeros{v.dtype, {}, {}};
    for (const SizeExpr& d : v.dims) zeros.dims.push_back(d.value);
    zeros.bytes.resize(static_cast<size_t>(element_count(zeros.dims) * bytes_of(v.dtype)));
    now[s.input] = s.initial ? *s.initial : zeros;
  }
  for (int step = 0; step < steps; ++step) {
    std::vector<TensorData> inputs;
    for (const ValueId v : graph.inputs) inputs.push_back(now.at(v));
    const GraphRun run = run_graph(graph, *kernels, {}, inputs);
    REQUIRE(run.status == OracleStatus::Done);
    for (const StatePair& s : graph.state)
      for (size_t o = 0; o < graph.outputs.size(); ++o)
        if (graph.outputs[o] == s.next) now[s.input] = run.outputs[o];
  }
  std::vector<double> w(x.size());
  std::memcpy(w.data(), now.at(graph.state[0].input).bytes.data(), 8 * w.size());
  return w;
}

const std::vector<double> kX = {1, -0.5, 2, 0.25}, kT = {0.5, 1, -1, 3};

/// Moves w by `move(k, w, gradient, step)` for three steps, and compares.
template <class Move>
void compare(const std::string& optimizer, const Move& move) {
  const std::vector<double> made = trained(step_of(optimizer), kX, kT, 3);
  for (size_t k = 0; k < kX.size(); ++k) {
    double w = 2;
    for (int step = 1; step <= 3; ++step) w = move(k, w, kX[k] * (w * kX[k] - kT[k]) / 2, step);
    INFO(optimizer << " element " << k);
    CHECK(std::fabs(made[k] - w) < 1e-12);
  }
}

}  // namespace

TEST_CASE("a training graph has the loss, the gradients, the network's outputs and the states") {
  const Graph g = step_of("adam(lr=0.01)");
  std::string inputs, outputs, states;
  for (const ValueId v : g.inputs) inputs += name_of_value(g, v) + " ";
  for (const ValueId v : g.outputs) outputs += name_of_value(g, v) + " ";
  CHECK(inputs == "x t w w.M w.V step ");
  CHECK(outputs == "loss grad(w) y w_next w.M_next w.V_next step_next ");
  REQUIRE(g.state.size() == 4);
  CHECK(g.state[0].gradient == g.outputs[1]);
  REQUIRE(g.state[0].initial);
  CHECK(g.state[1].initial == nullptr);
}

TEST_CASE("states that an optimizer does not read are not kept") {
  CHECK(step_of("sgd(lr=0.1)").state.size() == 1);
  CHECK(step_of("sgd(lr=0.1, momentum=0.9)").state.size() == 3);
  CHECK(step_of("rmsprop(lr=0.1)").state.size() == 2);
  CHECK(step_of("rmsprop(lr=0.1, momentum=0.5, centered=true)").state.size() == 4);
}

TEST_CASE("optimizers compute what PyTorch's compute") {
  std::vector<double> m(4), v(4);
  compare("sgd(lr=0.1, weight_decay=0.5)", [](size_t, double w, double g, int) { return w - 0.1 * (g + 0.5 * w); });
  compare("sgd(0.1, momentum=0.9, nesterov=true)", [&](size_t k, double w, double g, int step) {
    m[k] = step == 1 ? g : 0.9 * m[k] + g;
    return w - 0.1 * (g + 0.9 * m[k]);
  });
  for (const bool decoupled : {false, true})
    compare(decoupled ? "adamw(lr=0.1, weight_decay=0.25)" : "adam(lr=0.1, weight_decay=0.25)",
            [&](size_t k, double w, double g, int step) {
              if (step == 1) m[k] = v[k] = 0;
              if (decoupled) w -= 0.1 * 0.25 * w;
              else g += 0.25 * w;
              m[k] = 0.9 * m[k] + 0.1 * g;
              v[k] = 0.999 * v[k] + 0.001 * g * g;
              const double root = std::sqrt(v[k] / (1 - std::pow(0.999, step)));
              return w - 0.1 / (1 - std::pow(0.9, step)) * m[k] / (root + 1e-8);
            });
}

TEST_CASE("a schedule is a factor of the learning rate, and gradients are clipped before they are used") {
  compare("sgd(lr=0.1)\n  schedule: linear(steps=4)",
          [](size_t, double w, double g, int step) { return w - 0.1 * (1 - 0.25 * (step - 1)) * g; });
  compare("sgd(lr=0.1)\n  schedule: constant(warmup=2)",
          [](size_t, double w, double g, int step) { return w - 0.1 * std::min(step / 2.0, 1.0) * g; });
  compare("sgd(lr=0.1)\n  clip_value: 0.25",
          [](size_t, double w, double g, int) { return w - 0.1 * std::min(std::max(g, -0.25), 0.25); });
  const std::vector<double> once = trained(step_of("sgd(lr=1)\n  clip_norm: 0.5"), kX, kT, 1);
  double moved = 0;
  for (const double w : once) moved += (w - 2) * (w - 2);
  CHECK(std::fabs(std::sqrt(moved) - 0.5) < 1e-6);
}

TEST_CASE("mistakes in a train section have their places") {
  CHECK(error_of(text_of("sgd(lr=0.1)\n  schedule: cosin(steps=4)")) ==
        "g.yaml:12:13: error: there is no schedule 'cosin': did you mean 'cosine'? [E0710]");
  CHECK(error_of(text_of("sgd(lr=0.1)\n  clip_norm: -1")) ==
        "g.yaml:12:14: error: clip_norm is a number above 0 [E0710]");
  CHECK(error_of(text_of("sdg(lr=0.1)")) ==
        "g.yaml:11:14: error: there is no optimizer 'sdg': there are adagrad, adam, adamw, lion, rmsprop, sgd [E0710]");
  CHECK(error_of(text_of("sgd(momentum=0.1)")) ==
        "g.yaml:11:14: error: sgd needs a learning rate, as in sgd(lr=0.01) [E0710]");
  CHECK(error_of(text_of("sgd(lr=0.1, momentun=0.1)")) ==
        "g.yaml:11:26: error: sgd has no attribute 'momentun': did you mean 'momentum'? [E0710]");
  CHECK(error_of(text_of("sgd(lr=0.1)", "y - t")) ==
        "g.yaml:10:9: error: a gradient is that of a floating value of rank 0, not of f64[4] [E0710]");
  CHECK(error_of(text_of("sgd(lr=0.1)", "|\n    lost = mean(sq(y - t))")) ==
        "g.yaml:10:9: error: the statements compute no tensor named loss [E0710]");
  CHECK(error_of("graph: g\ninputs: {x: \"f64[4]\"}\nmain: y = x*x\noutputs: [y]\n") ==
        "g.yaml:1:1: error: the graph has no `train` section [E0710]");
}
