// The `train` section of a graph: the optimizer, and the operators of a step after those of the loss.
#pragma once

#include "frontend/graph/graph_builder.h"
#include "frontend/recipe/training_forms.h"
#include "frontend/yaml/optimizer_call.h"

namespace tenon {

/// A parameter that training changes: an input of the graph.
struct TrainedParameter {
  std::string name;
  ValueId value = kNoValue;
  std::shared_ptr<const TensorData> initial;
};

/// A parameter that each step replaces by what the network computes.
struct RunningParameter {
  std::string name;
  ValueId value = kNoValue, next = kNoValue;
  std::shared_ptr<const TensorData> initial;
};

/// What a step changes.
struct StepParameters {
  std::vector<TrainedParameter> trained;
  std::vector<RunningParameter> running;
};

/// How parameters move: the op `NAME_step` that `NAME(lr=…, …)` calls for each of them.
struct Optimizer {
  TrainingCall step;
  std::map<std::string, TrainingCall> groups;  // parameters for which it has other attributes
  std::optional<TrainingCall> schedule;        // `NAME_schedule`: the factor of lr at each step
  std::optional<double> clip_value;            // limit of the elements of gradients
  std::optional<double> clip_norm;             // limit of the norm of all gradients together
  int64_t accumulate = 1;                      // the number of steps whose gradients are averaged
  std::optional<double> average;               // what of the running mean of a parameter stays at a step
  std::optional<double> loss_scale;            // of the loss whose gradients are computed, for f16
  bool scale_follows = false;                  // that is the first one: it falls when gradients overflow, and rises
};

/// A step that moves parameters against the gradients of `loss`.
struct TrainingStep {
  ValueId loss = kNoValue;
  const StepParameters& parameters;
  const Optimizer& optimizer;
};

/// Adds the gradients of the loss and the next values of all parameters. Appends to `outputs`, which has the network's:
/// the loss and the gradients come in front of these, the next values of states after them. Throws GraphError.
void add_training(GraphBuilder& builder, RunCounters& counters, const TrainingStep& step, NamedOutputs& outputs);

}  // namespace tenon
