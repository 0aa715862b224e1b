// Every stage once, in order: the program's table of contents.
#include "pipeline.h"

#include <optional>
#include <utility>
#include <variant>

#include "command/commands.h"
#include "command/select.h"
#include "emit/emit_levels.h"
#include "harness/library/library_output.h"
#include "harness/model/model_output.h"
#include "ir/graph/graph_passes.h"
#include "lower/lower_library.h"
#include "lower/lower_plan.h"
#include "opdef/read_ops.h"
#include "pipeline/make.h"
#include "pipeline/read_data.h"
#include "schedule/plan_graph.h"
#include "semantics/node_kernels.h"

namespace tenon {

Definitions read_all_definitions(Run& run, OpLibrary read, const OpLibraryText& shown, const MathChoice& choice) {
  OpLibrary ops = run.stage<OpLibrary>("opdefs", std::move(read), shown);
  MathLibrary math = run.stage("math", read_math_library(run, choice));
  return {std::move(ops), std::move(math), read_scalar_functions(run)};
}

OutputTree make_library(Run& run, const Definitions& defs, const Library& library, const LibOptions& o) {
  const auto levels = chosen_levels(o.selection.isas);
  const Blueprints schedules = o.blueprints ? *o.blueprints : read_schedules(run, o.schedules, kernel_names(library));
  const LibraryOptions files = library_options(run, o);
  show_passes(run, kernels_of(library), schedules, levels);
  note_idle_fast_math(run, defs.math, kernels_of(library), o.math);
  LoweredLibrary lowered =
      run.stage("lower", lower_library(library, schedules, levels, o.threads ? Workers::several : Workers::one));
  const LibraryTexts texts =
      run.stage("emit", share_kernels(library, emit_library(std::move(lowered), library_style(o, defs))));
  return run.stage("files", run.open(library_files(library, defs.ops, texts, files)));
}

PlacedModel place_model(Run& run, const Definitions& defs, const ModelOptions& o) {
  const auto levels = chosen_levels(o.isas);
  const int workers = worker_count(o, levels);
  ModelSource model = read_model_source(run, o, o.training ? GraphMode::step : GraphMode::network, defs.ops);
  model.graph = run.stage("graph", with_gradients(with_states(std::move(model.graph), o), o));
  refuse_wrong_inputs(model.graph, o);
  model.graph = run.stage("backward", run.open(backward_graph(model.defs, std::move(model.graph))));
  if (o.until) model.graph = cut_graph(model.graph, *o.until);
  Graph rewritten = run.stage("rewrite", rewrite_model(run, model, o.training ? step_graph(model.graph) : model.graph));
  if (o.mpi) rewritten = with_all_reduce(std::move(rewritten));
  auto kernels = run.open(node_kernels(model.defs, rewritten, o.graph));
  if (!o.winograd) refuse_idle_winograd(rewritten, kernels, o);
  Recomputed chosen = choose_recomputed(std::move(rewritten), std::move(kernels), o);
  Graph graph = run.stage("recompute", std::move(chosen.graph));
  const ExecutionPlan plan =
      run.stage("schedule", plan_graph(graph, std::move(chosen.kernels), plan_options(o, levels)));
  const Blueprints schedules = schedules_of(run, o, plan);
  show_passes(run, kernels_of(plan), schedules, levels);
  LoweredPlan lowered = run.stage("lower", lower_plan(plan, schedules, levels, workers));
  ExecutionPlan placed = run.stage("memory", place_memory(plan, lowered, workers, o));
  return {std::move(model), std::move(graph), chosen.again, std::move(placed), std::move(lowered), workers};
}

OutputTree make_model(Run& run, const Definitions& defs, const ModelOptions& o) {
  const PlacedModel model = place_model(run, defs, o);
  refuse_wrong_program(model.plan, o);
  note_idle_fast_math(run, defs.math, kernels_of(model.plan), o.math);
  const auto texts = run.stage("emit", emit_model(model.plan, model.lowered, model_style(o, defs)));
  const std::optional<ForwardModel> forward = forward_model(run, defs, model, o);
  return run.stage("files", model_files(run, model, texts, forward, o));
}

/// An error in a shipped definition is found when a stage first uses it.
static int run_to_end(Run& run, const Options& options) {
  try {
    return std::visit([&](const auto& command) { return run_command(run, command); }, options.command);
  } catch (const BrokenDefinition& broken) {
    run.report(broken.diagnostics);
    return exit_bad_input;
  }
}

int run_pipeline(const Options& options) {
  try {
    refuse_unknown_stages(options);
    Run run(options.control);
    return run_to_end(run, options);
  } catch (const Stop& stop) {
    return stop.status;
  }
}

}  // namespace tenon
