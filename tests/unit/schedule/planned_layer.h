// Layers with constant weights for tests: planned, and run by the oracle or as a nest.
#pragma once

#include <cmath>

#include "catch.h"
#include "frontend/yaml/read_graph_yaml.h"
#include "isa/all_isas.h"
#include "nest/run_nest.h"
#include "schedule/plan_graph.h"
#include "semantics/library_semantics.h"
#include "semantics/node_kernels.h"
#include "shipped_library.h"

namespace tenon_test {

using namespace tenon;

struct Layer {
  std::string inputs, weights, main, outputs = "y", modules = "{}";
};

inline ExecutionPlan planned(const Layer& c, const std::vector<const Isa*>& levels) {
  const OpLibrary& ops = tenon_test::shipped_ops();
  const OpSemantics semantics = folding_semantics(ops);
  const std::string text = "graph: g\nsizes: {N: 1..3}\ninputs: {" + c.inputs + "}\nparameters:\n  F: {type: \"" +
                           c.weights + "\", from: \"randn(std=0.1, seed=1)\"}\nmodules: " + c.modules +
                           "\nmain: |\n  " + c.main + "\noutputs: [" + c.outputs + "]\n";
  auto read = read_graph_yaml(std::make_shared<const SourceFile>("g.yaml", text), semantics, {});
  if (!read.ok()) FAIL(read.diagnostics().text());
  auto graph = backward_graph(ops, std::move(read).value());
  if (!graph.ok()) FAIL(graph.diagnostics().text());
  const Graph rewritten = apply_rewrites(ops, tenon_test::shipped_rules(), std::move(graph).value()).graph;
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

/// The outputs of the last kernel of a plan, for inputs that are numbered fractions: by the oracle, or by a nest of it.
inline std::vector<double> values(const ExecutionPlan& plan, const LoopNest* nest = nullptr, NestWork* work = nullptr) {
  const PlanStep& step = plan.steps.back();
  OracleCall call;
  for (const Size& s : step.kernel.sizes) call.sizes[s.name] = 2;
  std::vector<size_t> outputs;
  for (size_t t = 0; t < step.kernel.tensors.size(); ++t) {
    const Tensor& x = step.kernel.tensors[t];
    TensorData& data = call.tensors.emplace_back();
    data.dtype = x.dtype;
    if (x.role == Role::Output) outputs.push_back(t);
    if (x.role == Role::Constant) data = *x.data;
    if (x.role != Role::Input) continue;
    int64_t count = 1;
    for (const Expr& e : x.dims) data.dims.push_back(evaluate_size(e, call)), count *= data.dims.back();
    for (int64_t i = 0; i < count; ++i) {
      const double value = static_cast<float>((i * 37 + 11) % 97) / 48 - 1;
      const float narrow = static_cast<float>(value);
      const auto* bytes =
          x.dtype == DType::F64 ? reinterpret_cast<const uint8_t*>(&value) : reinterpret_cast<const uint8_t*>(&narrow);
      data.bytes.insert(data.bytes.end(), bytes, bytes + bytes_of(x.dtype));
    }
  }
  const NestRun run = nest ? run_nest(*nest, call, work) : NestRun{run_kernel(step.kernel, call), ""};
  CHECK(run.fault == "");
  REQUIRE(run.status == OracleStatus::Done);
  std::vector<double> out;
  for (const size_t t : outputs) {
    const TensorData& y = call.tensors[t];
    for (int64_t i = 0; i < element_count(y.dims); ++i) out.push_back(real_element(y, i));
  }
  return out;
}

/// The largest difference as a part of the largest value.
inline double error_of(const std::vector<double>& is, const std::vector<double>& want) {
  REQUIRE(want.size() == is.size());
  double error = 0, range = 0;
  for (size_t i = 0; i < want.size(); ++i)
    error = std::max(error, std::fabs(want[i] - is[i])), range = std::max(range, std::fabs(want[i]));
  return error / range;
}

}  // namespace tenon_test
