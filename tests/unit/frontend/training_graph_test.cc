// Graphs of training steps: their states, and numbers next to those of a loop that spells the optimizer out.
#include <cmath>
#include <cstring>
#include <set>

#include "catch.h"
#include "frontend/yaml/read_graph_yaml.h"
#include "ir/graph/graph_passes.h"
#include "oracle/run_graph.h"
#include "semantics/library_semantics.h"
#include "semantics/node_kernels.h"
#include "shipped_library.h"

namespace training_graph_test {

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

Result<Graph> training_graph(const std::string& text, GraphMode mode = GraphMode::step) {
  const OpSemantics semantics = folding_semantics(shipped());
  return read_graph_yaml(std::make_shared<const SourceFile>("g.yaml", text), semantics, {{}, mode});
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
  CHECK(inputs == "x t w w.M w.V tenon.step ");
  CHECK(outputs == "loss grad(w) y w_next w.M_next w.V_next tenon.step_next ");
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

TEST_CASE("the norm of gradients of several types is summed in f64") {
  const std::string text =
      "graph: g\ninputs: {x: \"f32[2]\"}\nparameters:\n  a: {type: \"f32[2]\", from: full(value=1), grad: true}\n"
      "  b: {type: \"f16[2]\", from: full(value=1), grad: true}\nmain: y = x*a + cast(b, dtype=f32)\noutputs: [y]\n"
      "train:\n  loss: sum(y)\n  optimizer: sgd(lr=1)\n  clip_norm: 1\n";
  const auto read = training_graph(text);
  INFO(read.diagnostics().text());
  REQUIRE(read.ok());
  const std::string all = to_text(*read);
  CHECK(all.find(": f64[] = clip_factor(") != std::string::npos);
  CHECK(all.find("cast(grad_b, dtype=f64)") != std::string::npos);
}

TEST_CASE("a group of parameters has its own attributes") {
  compare(
      "sgd(lr=0.1, weight_decay=0.5)\n  schedule: constant(warmup=2)\n  groups: [{parameters: [w], lr: 0.2, "
      "weight_decay: 0}]",
      [](size_t, double w, double g, int step) { return w - 0.2 * std::min(step / 2.0, 1.0) * g; });
}

TEST_CASE("gradients of several steps are one, of which schedules and moments know the number") {
  for (const char* optimizer :
       {"sgd(lr=0.1, momentum=0.5)\n  clip_norm: 0.5", "adam(lr=0.1)\n  schedule: linear(steps=4)"}) {
    const std::vector<double> few = trained(step_of(optimizer), kX, kT, 2);
    const std::vector<double> many = trained(step_of(std::string(optimizer) + "\n  accumulate: 3"), kX, kT, 8);
    for (size_t k = 0; k < few.size(); ++k) CHECK(std::fabs(few[k] - many[k]) < 1e-12);
  }
}

TEST_CASE("the running mean of a parameter begins with its contents") {
  const Graph g = step_of("sgd(lr=0.1)\n  average: 0.75");
  REQUIRE(g.state.size() == 2);
  CHECK(name_of_value(g, g.state[1].input) == "w.average");
  CHECK(g.state[1].initial == g.state[0].initial);
  CHECK(g.state[1].parameter);
  CHECK(g.state[1].gradient == kNoValue);
}

TEST_CASE("mistakes in a train section have their places") {
  CHECK(error_of(text_of("sgd(lr=0.1)\n  groups: [{parameters: [v], lr: 1}]")) ==
        "g.yaml:12:26: error: no parameter 'v' is trained [E0710]");
  CHECK(error_of(text_of("sgd(lr=0.1)\n  groups: [{parameters: [w], momentun: 1}]")) ==
        "g.yaml:12:30: error: sgd has no attribute 'momentun': did you mean 'momentum'? [E0710]");
  CHECK(error_of(text_of("sgd(lr=0.1)\n  groups: [{parameters: [w]}, {parameters: [w]}]")) ==
        "g.yaml:12:45: error: 'w' is in two groups [E0710]");
  CHECK(error_of(text_of("sgd(lr=0.1)\n  groups: [{lr: 1}]")) ==
        "g.yaml:12:12: error: a group is written {parameters: [b1, b2], weight_decay: 0} [E0710]");
  CHECK(error_of(text_of("sgd(lr=0.1)\n  accumulate: 0")) ==
        "g.yaml:12:15: error: accumulate is a number of steps, 1 or more [E0710]");
  CHECK(error_of(text_of("sgd(lr=0.1)\n  average: 1")) ==
        "g.yaml:12:12: error: average is a number between 0 and 1 [E0710]");
  CHECK(error_of(text_of("sgd(lr=0.1)\n  schedule: cosin(steps=4)")) ==
        "g.yaml:12:13: error: there is no schedule 'cosin': did you mean 'cosine'? [E0710]");
  CHECK(error_of(text_of("sgd(lr=0.1)\n  clip_norm: -1")) ==
        "g.yaml:12:14: error: clip_norm is a number above 0 [E0710]");
  CHECK(error_of(text_of("sgd(lr=-0.1)")) == "g.yaml:11:18: error: lr is 0 or more, not -0.1 [E0710]");
  CHECK(error_of(text_of("sgd(lr=0.1, nesterov=true)")) ==
        "g.yaml:11:14: error: sgd_step: requires not nesterov or momentum > 0 and dampening == 0 [E0710]");
  CHECK(error_of(text_of("sdg(lr=0.1)")) ==
        "g.yaml:11:14: error: there is no optimizer 'sdg': did you mean 'sgd'? [E0710]");
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

namespace {

/// Three examples of two channels, normalised and dropped.
std::string forms_text(const std::string& main, const std::string& more = "running: true") {
  return "graph: g\ninputs: {x: \"f64[3, 2]\"}\nparameters:\n"
         "  w: {type: \"f64[2]\", from: full(value=1), grad: true}\n"
         "  b: {type: \"f64[2]\", from: full(value=0), grad: true}\n"
         "  m: {type: \"f64[2]\", from: full(value=0), " +
         more + "}\n  v: {type: \"f64[2]\", from: full(value=1), " + more + "}\nmain: |\n  " + main +
         "\noutputs: [y]\ntrain:\n  loss: sum(y)\n  optimizer: sgd(lr=0.5)\n";
}

std::vector<std::string> ops_of(const std::string& main, GraphMode mode, const std::string& more = "running: true") {
  auto read = training_graph(forms_text(main, more), mode);
  if (!read.ok()) FAIL(read.diagnostics().text());
  std::vector<std::string> out;
  for (const Node& n : read->nodes)
    if (n.op != "sum" && n.op != "grad" && n.op != "sgd_step" && n.op != "full") out.push_back(n.op);
  return out;
}

/// What the outputs with these names are after a step from the graph's contents, x and these counters.
std::vector<double> after_a_step(const std::string& main, const std::string& output, int64_t step, int64_t seed) {
  auto read = training_graph(forms_text(main, main.starts_with("y = dropout") ? "grad: false" : "running: true"));
  if (!read.ok()) FAIL(read.diagnostics().text());
  const auto graph = backward_graph(shipped(), std::move(read).value());
  REQUIRE(graph.ok());
  auto kernels = node_kernels(shipped(), *graph, "g.yaml");
  REQUIRE(kernels.ok());
  std::vector<TensorData> inputs;
  for (const ValueId v : graph->inputs) {
    const std::string name = name_of_value(*graph, v);
    TensorData t = tensor({1, 10, 2, 20, 6, 60});
    t.dims = {3, 2};
    for (const StatePair& s : graph->state)
      if (s.input == v && s.initial) t = *s.initial;
    if (name.starts_with("tenon.")) t = {DType::I64, {}, std::vector<uint8_t>(8)};
    if (name.starts_with("tenon.")) std::memcpy(t.bytes.data(), name == "tenon.step" ? &step : &seed, 8);
    inputs.push_back(t);
  }
  const GraphRun run = run_graph(*graph, *kernels, {}, inputs);
  REQUIRE(run.status == OracleStatus::Done);
  for (size_t o = 0; o < graph->outputs.size(); ++o) {
    if (name_of_value(*graph, graph->outputs[o]) != output) continue;
    std::vector<double> out(run.outputs[o].bytes.size() / 8);
    std::memcpy(out.data(), run.outputs[o].bytes.data(), run.outputs[o].bytes.size());
    return out;
  }
  FAIL("no output " << output);
  return {};
}

using Ops = std::vector<std::string>;
const std::string kNorm = "y = batch_norm(x, w, b, m, v, momentum=0.75)";

}  // namespace

TEST_CASE("an op has its form for training in a step alone") {
  CHECK(ops_of(kNorm, GraphMode::step) == Ops{"batch_norm_training"});
  CHECK(ops_of(kNorm, GraphMode::validation) == Ops{"batch_norm"});
  CHECK(ops_of(kNorm, GraphMode::network) == Ops{"batch_norm"});
  CHECK(ops_of(kNorm, GraphMode::step, "grad: false") == Ops{"batch_norm"});
  const std::string drop = "y = dropout(x*w, 0.25)";
  CHECK(ops_of(drop, GraphMode::step, "grad: false") == Ops{"mul", "add", "dropout_training", "identity"});
  CHECK(ops_of(drop, GraphMode::validation) == Ops{"mul", "dropout_inference"});
  CHECK(ops_of(drop, GraphMode::network) == Ops{"mul", "dropout_inference"});
}

TEST_CASE("running statistics move towards those of the batch, the variance to the unbiased one") {
  CHECK(after_a_step(kNorm, "m_next", 0, 0) == std::vector<double>{0.75, 7.5});
  CHECK(after_a_step(kNorm, "v_next", 0, 0) == std::vector<double>{0.75 + 0.25 * 7, 0.75 + 0.25 * 700});
  // The second call goes on from what the first has made.
  const std::string twice =
      "z = batch_norm(x, w, b, m, v, momentum=0.5)\n  y = z + batch_norm(x, w, b, m, v, momentum=0.5)";
  CHECK(after_a_step(twice, "m_next", 0, 0) == std::vector<double>{2.25, 22.5});
}

TEST_CASE("masks of dropout follow from the seed, the step and the call") {
  const std::string one = "y = dropout(x*w)", two = "y = dropout(dropout(x*w, seed=5), seed=1)";
  const auto y = [&](int64_t step, int64_t seed) { return after_a_step(one, "y", step, seed); };
  CHECK(y(3, 4) == y(3, 4));
  int differ = 0;
  for (int64_t k = 0; k < 4; ++k) differ += (y(k, 4) != y(k + 1, 4)) + (y(3, k) != y(3, k + 1));
  CHECK(differ >= 6);
  for (const double element : y(3, 4)) CHECK((element == 0 || std::fmod(element, 2) == 0));
  int dropped_more = 0;
  for (int64_t k = 0; k < 4; ++k) dropped_more += after_a_step(two, "y", k, 4) != y(k, 4);
  CHECK(dropped_more > 0);
}

TEST_CASE("running parameters that nothing replaces are mistakes") {
  const auto error = [](const std::string& main, const std::string& more = "running: true") {
    return error_of(forms_text(main, more));
  };
  CHECK(error("y = x*w + b") == "g.yaml:6:3: error: nothing replaces the running parameter 'm' [E0710]");
  CHECK(error(kNorm, "running: true, grad: true") ==
        "g.yaml:6:53: error: a parameter is either trained or replaced by what the network computes [E0706]");
  CHECK(error(kNorm, "running: yes") == "g.yaml:6:53: error: running is true or false [E0706]");
}

TEST_CASE("training: processes exchange the loss, gradients and what the network replaces") {
  const std::string text =
      "graph: g\nsizes: {N: 1..8}\ninputs: {x: \"f32[N, 4]\"}\nparameters:\n"
      "  g: {type: \"f32[4]\", from: full(value=1), grad: true}\n  b: {type: \"f32[4]\", from: full(value=0)}\n"
      "  m: {type: \"f32[4]\", from: full(value=0), running: true}\n"
      "  v: {type: \"f32[4]\", from: full(value=1), running: true}\n"
      "  w: {type: \"bf16[4]\", from: full(value=2), grad: true}\n"
      "main: y = batch_norm(x, g, b, m, v)*cast(w, dtype=f32)\noutputs: [y]\ntrain:\n  loss: mean(sq(y))\n"
      "  optimizer: sgd(lr=0.1)\n  average: 0.9\n";
  auto read = training_graph(text);
  if (!read.ok()) FAIL(read.diagnostics().text());
  auto alone = backward_graph(shipped(), std::move(read).value());
  REQUIRE(alone.ok());
  const Graph step = with_all_reduce(*alone);
  REQUIRE(verify(step) == std::vector<std::string>{});
  std::set<std::string> exchanged;
  for (const Node& n : step.nodes) {
    if (n.op != kAllReduceOp) continue;
    CHECK(step.values[static_cast<size_t>(n.inputs[0])].dtype == DType::F32);
    const ValueId out = n.outputs[0];
    exchanged.insert(name_of_value(step, out));
    for (const Node& reader : step.nodes)  // nobody else reads what only this process has
      CHECK((&reader == &n || std::count(reader.inputs.begin(), reader.inputs.end(), n.inputs[0]) == 0));
  }
  // The gradient in two bytes is exchanged in four.
  CHECK(exchanged == std::set<std::string>{"loss", "grad(g)", "m_next", "v_next", ""});
  std::vector<std::string> before, after;
  for (const ValueId v : alone->outputs) before.push_back(name_of_value(*alone, v));
  for (const ValueId v : step.outputs) after.push_back(name_of_value(step, v));
  CHECK(before == after);
}

/// 1e-6*sum(w*x) with the product in f16: its gradient, 1e-6*x, is less than what f16 tells apart for small x.
std::string halves(const std::string& more, const std::string& scale = "1e-6") {
  return "graph: g\ninputs: {x: \"f64[4]\"}\nparameters:\n  w: {type: \"f64[4]\", from: full(value=2), grad: true}\n"
         "modules:\n  low(v): cast(v, dtype=f16)\n"
         "main: y = cast(low(w)*low(x), dtype=f64)\noutputs: [y]\ntrain:\n  targets: {t: \"f64[4]\"}\n"
         "  loss: " +
         scale + "*sum(y + 0*t)\n  optimizer: sgd(lr=1000)\n" + more;
}

std::vector<double> trained_halves(const std::string& text, int steps) {
  auto read = training_graph(text);
  if (!read.ok()) FAIL(read.diagnostics().text());
  auto graph = backward_graph(shipped(), std::move(read).value());
  REQUIRE(graph.ok());
  REQUIRE(verify(*graph) == std::vector<std::string>{});
  return trained(*graph, {1, 0.015625, 2, 0}, kT, steps);
}

TEST_CASE("training: a scaled loss keeps small gradients of f16") {
  const std::vector<double> lost = trained_halves(halves(""), 1),
                            kept = trained_halves(halves("  loss_scale: 1024\n"), 1),
                            followed = trained_halves(halves("  loss_scale: dynamic\n"), 1);
  CHECK(lost[1] == 2);  // 1.6e-8 in f16 is 0
  for (const std::vector<double>& w : {kept, followed}) {
    CHECK(std::fabs(w[1] - (2 - 1e-3 * 0.015625)) < 1e-7);
    CHECK(std::fabs(w[0] - (2 - 1e-3)) < 1e-6);
    CHECK(w[3] == 2);
  }
}

TEST_CASE("training: a scale that follows skips steps that overflow") {
  // A gradient of 8 overflows at 65536, 32768, 16384 and, by a rounding, at 8192.
  const std::string text = halves("  loss_scale: dynamic\n", "4");
  CHECK(trained_halves(text, 4)[2] == 2);
  CHECK(trained_halves(text, 5)[2] == 2 - 8000.0);
  CHECK(trained_halves(text, 6)[2] == 2 - 16000.0);
  // The optimizer sees the first update as its first step, and so does the accumulation of two.
  auto adam = halves("  loss_scale: dynamic\n", "4");
  adam.replace(adam.find("sgd(lr=1000)"), 12, "adam(lr=0.5)");
  CHECK(trained_halves(adam, 4)[2] == 2);
  CHECK(std::fabs(trained_halves(adam, 5)[2] - 1.5) < 1e-6);
  CHECK(trained_halves(text + "  accumulate: 2\n", 8)[2] == 2);
  CHECK(trained_halves(text + "  accumulate: 2\n", 10)[2] == 2 - 8000.0);
}

TEST_CASE("training: a scale that changes nothing is refused") {
  CHECK(error_of(text_of("sgd(lr=0.1)\n  loss_scale: 1024")) ==
        "g.yaml:12:15: error: loss_scale has no effect: no value of the step is f16 [E0710]");
  CHECK(error_of(halves("  loss_scale: 1\n")).find("a loss_scale of 1 has no effect; leave it out") !=
        std::string::npos);
  for (const char* wrong : {"0", "-2", "inf", "often"})
    CHECK(error_of(halves(std::string("  loss_scale: ") + wrong + "\n"))
              .find("loss_scale is dynamic, or a number above 0") != std::string::npos);
}

TEST_CASE("numbers and sizes next to a floating tensor are of its type") {
  const auto read = [](const std::string& main) {
    return training_graph(
        "graph: g\nsizes: {N: 1..8}\ninputs: {x: \"f64[N]\", i: \"i32[N]\"}\nmain: |\n" + main + "outputs: [y]\n",
        GraphMode::network);
  };
  auto graph = read("  h = 0.3*cast(x, dtype=bf16) + N\n  y = cast(h, dtype=f64) - x/N\n");
  if (!graph.ok()) FAIL(graph.diagnostics().text());
  auto kernels = node_kernels(shipped(), *graph, "g.yaml");
  REQUIRE(kernels.ok());
  const GraphRun run = run_graph(*graph, *kernels, {{"N", 4}}, {tensor({8, 16, 0, -8}), {}});
  REQUIRE(run.status == OracleStatus::Done);
  // 0.3 is 0.30078125 in bf16, which has 8 bits: 2.40625 + 4 = 6.40625 becomes 6.40625, 8.8125 stays.
  const auto* y = reinterpret_cast<const double*>(run.outputs[0].bytes.data());
  CHECK(y[0] == 6.40625 - 2);
  CHECK(y[1] == 8.8125 - 4);
  CHECK(y[2] == 4);
  auto chosen = read("  y = where(x > 0, x, 3)\n");
  if (!chosen.ok()) FAIL(chosen.diagnostics().text());
  const auto wrong = read("  y = 0.5*i\n");
  REQUIRE(!wrong.ok());
  CHECK(wrong.diagnostics().text().find("0.5 is no i32, as the tensor next to it is") != std::string::npos);
  for (const char* small : {"f8e4m3fn", "f8e8m0", "i4", "u2"})
    for (const char* number : {"2", "0.5", "N"}) {
      const std::string head = std::string("graph: g\nsizes: {N: 1..8}\ninputs: {x: \"") + small + "[N]\"}\n";
      const auto refused =
          training_graph(head + "main: |\n  y = mul(x, " + number + ")\noutputs: [y]\n", GraphMode::network);
      REQUIRE(!refused.ok());
      CHECK(refused.diagnostics().text().find(std::string("a number next to a ") + small + " tensor: cast") !=
            std::string::npos);
    }
}

}  // namespace training_graph_test
