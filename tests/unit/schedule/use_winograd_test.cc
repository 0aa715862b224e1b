// Convolutions in the transformed space: which ones, that they mean the same, and how they are lowered.
#include "schedule/use_winograd.h"

#include <cmath>

#include "algebra/winograd_kernel.h"
#include "catch.h"
#include "frontend/yaml/read_graph_yaml.h"
#include "isa/all_isas.h"
#include "lower/lower_kernel.h"
#include "oracle/run_nest.h"
#include "schedule/plan_graph.h"
#include "semantics/fold_node.h"
#include "semantics/library_semantics.h"
#include "semantics/node_kernels.h"
#include "shipped_library.h"

namespace use_winograd_test {

using namespace tenon;

namespace {

struct Case {
  std::string inputs, weights, main;
};

ExecutionPlan planned(const Case& c, const std::vector<const Isa*>& levels) {
  const OpLibrary& ops = tenon_test::shipped_ops();
  const OpSemantics semantics =
      library_semantics(ops, [&](const std::string& op, const std::vector<const TensorData*>& in,
                                 const Attributes& attrs, size_t) { return fold_node(ops, op, in, attrs); });
  const std::string text = "graph: g\nsizes: {N: 1..3}\ninputs: {" + c.inputs + "}\nparameters:\n  F: {type: \"" +
                           c.weights + "\", from: \"randn(std=0.1, seed=1)\"}\nmain: |\n  " + c.main +
                           "\noutputs: [y]\n";
  const auto graph = read_graph_yaml(std::make_shared<const SourceFile>("g.yaml", text), semantics, {});
  if (!graph.ok()) FAIL(graph.diagnostics().text());
  const Graph rewritten = apply_rewrites(ops, tenon_test::shipped_rules(), *graph).graph;
  auto kernels = node_kernels(ops, rewritten, "g.yaml");
  if (!kernels.ok()) FAIL(kernels.diagnostics().text());
  ExecutionPlan plan = plan_graph(rewritten, std::move(kernels).value(), {true, true, false, levels});
  const auto faults = verify(plan);
  if (!faults.empty()) FAIL(faults[0] + "\n" + to_text(plan));
  for (PlanStep& step : plan.steps)  // for the oracle, which knows no plan
    for (size_t t = 0; t < step.kernel.tensors.size(); ++t)
      if (Tensor& x = step.kernel.tensors[t]; x.role == Role::Constant)
        x.data = plan.buffers[static_cast<size_t>(step.buffers[t])].data;
  return plan;
}

const Isa* level(const char* name) { return isa_from_name(name); }

/// Outputs of a tile along an axis; 0 where the last kernel is a sum of products.
int tile_of(const Case& c, const std::vector<const Isa*>& levels) {
  const auto parts = find_winograd(planned(c, levels).steps.back().kernel);
  return parts ? parts->outputs : 0;
}

/// What becomes of the last kernel of a plan, for inputs that are numbered fractions: by the oracle, or by a nest of
/// it.
std::vector<double> values(const ExecutionPlan& plan, const LoopNest* nest = nullptr) {
  const PlanStep& step = plan.steps.back();
  OracleCall call;
  for (const Size& s : step.kernel.sizes) call.sizes[s.name] = 2;
  int output = -1;
  for (size_t t = 0; t < step.kernel.tensors.size(); ++t) {
    const Tensor& x = step.kernel.tensors[t];
    TensorData& data = call.tensors.emplace_back();
    data.dtype = x.dtype;
    if (x.role == Role::Output) output = static_cast<int>(t);
    if (x.role == Role::Constant) data = *x.data;
    if (x.role != Role::Input) continue;
    int64_t count = 1;
    for (const Expr& e : x.dims) data.dims.push_back(evaluate_size(e, call)), count *= data.dims.back();
    for (int64_t i = 0; i < count; ++i) {
      const float f = static_cast<float>((i * 37 + 11) % 97) / 48 - 1;
      const auto* bytes = reinterpret_cast<const uint8_t*>(&f);
      data.bytes.insert(data.bytes.end(), bytes, bytes + sizeof f);
    }
  }
  const NestRun run = nest ? run_nest(*nest, call) : NestRun{run_kernel(step.kernel, call), ""};
  CHECK(run.fault == "");
  REQUIRE(run.status == OracleStatus::Done);
  std::vector<double> out;
  const TensorData& y = call.tensors[static_cast<size_t>(output)];
  for (int64_t i = 0; i < element_count(y.dims); ++i) out.push_back(real_element(y, i));
  return out;
}

/// The largest difference as a part of the largest value.
double error_of(const std::vector<double>& is, const std::vector<double>& want) {
  REQUIRE(want.size() == is.size());
  double error = 0, range = 0;
  for (size_t i = 0; i < want.size(); ++i)
    error = std::max(error, std::fabs(want[i] - is[i])), range = std::max(range, std::fabs(want[i]));
  return error / range;
}

const std::vector<Case> kChosen = {
    {"x: \"f32[1, 16, 14, 14]\"", "f32[16, 16, 3, 3]", "y = conv2d(x, F, pads=[1, 1, 1, 1])"},
    {"x: \"f32[2, 18, 13, 12]\"", "f32[20, 18, 3, 3]", "y = relu(conv2d(x, F))"},
    {"x: \"f32[N, 24, 9, 10]\"", "f32[40, 12, 3, 3]", "y = conv2d(x, F, groups=2, pads=[0, 1, 2, 1])"},
    {"x: \"f32[1, 16, 8, 8]\", r: \"f32[1, 16, 8, 8]\"", "f32[16, 16, 3, 3]",
     "y = relu(add(conv2d(x, F, pads=[1, 1, 1, 1]), r))"},
    {"x: \"f32[1, 16, 8, 8]\"", "f32[16, 16, 3, 3]", "y = silu(conv2d(x, F, pads=[1, 1, 1, 1]))"},
    {"x: \"f32[1, 16, 2, 2]\"", "f32[64, 16, 3, 3]", "y = conv2d(x, F, pads=[1, 1, 1, 1])"},
};

}  // namespace

TEST_CASE("a convolution in the transformed space has the values of the sum of products") {
  for (const Case& c : kChosen) {
    const ExecutionPlan direct = planned(c, {}), tiles = planned(c, {level("x86-64-v4")});
    INFO(c.inputs << " " << c.main);
    CHECK_FALSE(find_winograd(direct.steps.back().kernel));
    CHECK(find_winograd(tiles.steps.back().kernel));
    CHECK(verify(tiles.steps.back().kernel).empty());
    CHECK(error_of(values(tiles), values(direct)) < 1e-6);  // of the weights alone: the oracle keeps V and W as f64
  }
}

TEST_CASE("strips of tiles have the values of the sum of products at every level") {
  for (const Case& c : kChosen) {
    const ExecutionPlan plan = planned(c, {level("x86-64-v4")});
    const std::vector<double> want = values(planned(c, {}));
    for (const Isa& isa : all_isas()) {
      const LoopNest nest = lower_kernel(plan.steps.back().kernel, tenon_test::shipped_blueprints(), isa);
      INFO(isa.name << " " << c.inputs << " " << c.main);
      CHECK(nest.blueprint.starts_with("winograd"));
      CHECK(verify(nest).empty());
      CHECK(error_of(values(plan, &nest), want) < 1e-5);
    }
  }
}

TEST_CASE("the tile follows from the size of the picture") {
  const auto tile = [](int pixels) {
    return tile_of({fmt::format("x: \"f32[1, 64, {0}, {0}]\"", pixels), "f32[64, 64, 3, 3]",
                    "y = conv2d(x, F, pads=[1, 1, 1, 1])"},
                   {isa_from_name("x86-64-v4")});
  };
  CHECK(tile(56) == 4);
  CHECK(tile(14) == 4);
  CHECK(tile(2) == 2);
  CHECK(tile(1) == 0);
}

TEST_CASE("other convolutions stay sums of products") {
  const std::vector<const Isa*> levels = {level("portable"), level("x86-64-v3")};
  const std::string x = "x: \"f32[1, 16, 14, 14]\"", f = "f32[16, 16, 3, 3]";
  CHECK(tile_of({x, f, "y = conv2d(x, F, pads=[1, 1, 1, 1])"}, levels) == 4);
  CHECK(tile_of({x, f, "y = conv2d(x, F, pads=[1, 1, 1, 1])"}, {level("portable")}) == 0);
  CHECK(tile_of({x, f, "y = conv2d(x, F, stride=[2, 2])"}, levels) == 0);
  CHECK(tile_of({x, f, "y = conv2d(x, F, dilation=[2, 2])"}, levels) == 0);
  CHECK(tile_of({x, "f32[16, 16, 5, 5]", "y = conv2d(x, F)"}, levels) == 0);
  CHECK(tile_of({x, "f32[16, 16, 1, 3]", "y = conv2d(x, F)"}, levels) == 0);
  CHECK(tile_of({x, "f32[16, 1, 3, 3]", "y = conv2d(x, F, groups=16)"}, levels) == 0);
  CHECK(tile_of({"x: \"f32[1, 3, 14, 14]\"", "f32[16, 3, 3, 3]", "y = conv2d(x, F)"}, levels) == 0);
  CHECK(tile_of({"x: \"f64[1, 16, 14, 14]\"", "f64[16, 16, 3, 3]", "y = conv2d(x, F)"}, levels) == 0);
  CHECK(tile_of({x + ", z: \"f32[1]\"", f, "y = conv2d(x, add(F, z))"}, levels) == 0);
}

TEST_CASE("weights that something else reads are kept") {
  const ExecutionPlan plan = planned(
      {"x: \"f32[1, 16, 14, 14]\", z: \"f32[1]\"", "f32[16, 16, 3, 3]", "y = add(conv2d(x, F), mean(mul(F, z)))"},
      {level("x86-64-v4")});
  int kept = 0, made = 0;
  for (const PlanBuffer& b : plan.buffers)
    if (b.data) kept += b.data->dims == std::vector<int64_t>{16, 16, 3, 3}, made += b.data->dims[0] == 36;
  CHECK(kept == 1);
  CHECK(made == 1);
}

}  // namespace use_winograd_test
