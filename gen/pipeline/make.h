// The outputs of the driver, for the commands and for tests that generate without a command line.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "emit/kernel_to_c.h"
#include "harness/library/library_output.h"
#include "harness/model/model_output.h"
#include "ir/kernel/library.h"
#include "ir/plan/execution_plan.h"
#include "ir/plan/lowered_plan.h"
#include "ir/text/model_text.h"
#include "pipeline/read_data.h"
#include "pipeline/run.h"
#include "schedule/plan_graph.h"
#include "schedule/recompute.h"

namespace tenon {

/// The files that every run reads first.
struct Definitions {
  OpLibrary ops;
  MathLibrary math;
  ScalarFunctions scalars;
};
/// What a dump shows of the definitions.
using OpLibraryText = std::function<std::string(const OpLibrary&)>;
/// Stages opdefs and math, of definitions that were read.
Definitions read_all_definitions(Run& run, OpLibrary ops, const OpLibraryText& shown, const MathChoice& math = {});

/// From kernels to the files of a library.
OutputTree make_library(Run& run, const Definitions& defs, const Library& library, const LibOptions& o);

/// A model whose buffers have their offsets, and its kernels at every level.
struct PlacedModel {
  ModelSource source;
  Graph graph;          ///< that is planned
  ComputedAgain again;  ///< in it
  ExecutionPlan plan;
  LoweredPlan lowered;
  int workers = 1;  ///< that the arena has space for
};
/// From a file to the offset of every buffer.
PlacedModel place_model(Run& run, const Definitions& defs, const ModelOptions& o);
/// From a file to the files of its program.
OutputTree make_model(Run& run, const Definitions& defs, const ModelOptions& o);

// The arguments of the stages, from the flags.
LibraryOptions library_options(Run& run, const LibOptions& o);
/// Prints the kernels after the passes of lowering that a dump asks for, at every level.
void show_passes(Run& run, const std::vector<const Kernel*>& kernels, const Blueprints& schedules,
                 const std::vector<const Isa*>& levels);
/// How the kernels of a library or of a model are printed. `defs` has to outlive the result.
EmitOptions library_style(const LibOptions& o, const Definitions& defs);
EmitOptions model_style(const ModelOptions& o, const Definitions& defs);
/// How the graph is planned: weights of 8 bits also as words of four bytes where some level multiplies these.
PlanOptions plan_options(const ModelOptions& o, const std::vector<const Isa*>& levels);
/// Workers that the arena has space for: what the flag says, one where only plain C is written.
int worker_count(const ModelOptions& o, const std::vector<const Isa*>& levels);
/// Stops where --no-winograd would change nothing.
void refuse_idle_winograd(const Graph& graph, const std::vector<NodeKernel>& kernels, const ModelOptions& o);
/// Stage recompute: what --recompute says; stops where it has nothing to choose from.
Recomputed choose_recomputed(Graph graph, std::vector<NodeKernel> kernels, const ModelOptions& o);
/// Names that rows of blueprints may be for.
std::vector<std::string> kernel_names(const ExecutionPlan& plan);
std::vector<std::string> kernel_names(const Library& library);
/// The blueprints that a model is lowered by.
Blueprints schedules_of(Run& run, const ModelOptions& o, const ExecutionPlan& plan);

/// Warns if --fast-math changes no function that the kernels call.
void note_idle_fast_math(Run& run, const MathLibrary& math, const std::vector<const Kernel*>& kernels,
                         const MathChoice& choice);

/// Stage rewrite: the rules of opdefs/rewrites, for the model's graph or a part of it. --verbose counts them.
Graph rewrite_model(Run& run, const ModelSource& model, const Graph& graph);
/// Stops where `tenon run` or `tenon train` was given other files than the graph has inputs.
void refuse_wrong_inputs(const Graph& graph, const ModelOptions& o);
/// The graph with the states of --state; stops where it cannot have one of them.
Graph with_states(Graph graph, const ModelOptions& o);
/// The graph with the gradients of --grad-of; stops where it cannot have them.
Graph with_gradients(Graph graph, const ModelOptions& o);
/// The graph with the value of --until as its only output; stops where it has none of that name.
Graph cut_graph(const Graph& graph, const std::string& value);
/// Stage memory: the offset of every buffer; stops where the budgets of --arena leave no space for one.
ExecutionPlan place_memory(const ExecutionPlan& plan, const LoweredPlan& lowered, int workers, const ModelOptions& o);
/// Stops if a requested part of the program would read no input of the model, or if a training program cannot call the
/// step.
void refuse_wrong_program(const ExecutionPlan& plan, const ModelOptions& o);
/// The forward network of a step, for the validation of a program that trains; nothing for other models.
std::optional<ForwardModel> forward_model(Run& run, const Definitions& defs, const PlacedModel& model,
                                          const ModelOptions& o);
/// Stage files, with the answers that a self-test expects.
OutputTree model_files(Run& run, const PlacedModel& model, const std::vector<ModelLevel>& texts,
                       const std::optional<ForwardModel>& forward, const ModelOptions& o);
/// Stops with a message at the first stage that is not one.
void refuse_unknown_stages(const Options& options);

}  // namespace tenon
