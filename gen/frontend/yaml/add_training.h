// The `train` section of a graph: the optimizer, and the operators of a step behind those of the loss.
#pragma once

#include "frontend/graph/graph_builder.h"
#include "frontend/yaml/training_forms.h"
#include "support/recipe_syntax.h"

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

/// A call of an op whose inputs the training graph knows.
struct TrainingCall {
  std::string op;
  Attributes attrs;
  std::optional<double> lr;  // of an optimizer that has an input of this name
};

/// How parameters move: the op `NAME_step` that `NAME(lr=…, …)` calls for each of them.
struct Optimizer {
  TrainingCall step;
  std::optional<TrainingCall> schedule;  // `NAME_schedule`: the factor of lr at each step
  std::optional<double> clip_value;      // limit of the elements of gradients
  std::optional<double> clip_norm;       // limit of the norm of all gradients together
};

/// The op of a call such as `sgd(lr=0.1, momentum=0.9)`. Throws RecipeError.
TrainingCall read_optimizer(const std::string& call, const OpSemantics& semantics);
/// The op of a call such as `cosine(steps=1000)`. Throws RecipeError.
TrainingCall read_schedule(const std::string& call, const OpSemantics& semantics);

/// Adds the gradients of `loss` and the next values of all parameters. Appends to `outputs`, which has the network's:
/// the loss and the gradients come in front of these, the next values of states behind them. Throws GraphError.
void add_training(GraphBuilder& builder, RunCounters& counters, ValueId loss, const StepParameters& parameters,
                  const Optimizer& optimizer, NamedOutputs& outputs);

}  // namespace tenon
