// The `train` section of a graph: the optimizer, and the operators of a step after those of the loss.
#pragma once

#include "frontend/graph/graph_builder.h"
#include "frontend/graph/op_semantics.h"
#include "frontend/recipe/training_forms.h"
#include "support/diagnostics.h"
#include "support/yaml_document.h"

namespace tenon {

/// A call of an op whose inputs the training graph knows.
struct TrainingCall {
  std::string op;
  Attributes attrs;
  std::optional<double> lr;  // of an optimizer that has an input of this name
};

/// The op of a call such as `sgd(lr=0.1, momentum=0.9)`. Throws RecipeError.
TrainingCall read_optimizer(const std::string& call, const OpSemantics& semantics);
/// The op of a call such as `cosine(steps=1000)`. Throws RecipeError.
TrainingCall read_schedule(const std::string& call, const OpSemantics& semantics);

/// The call with another value of an attribute, or of lr; `text` is an expression. Throws RecipeError.
void change_attribute(TrainingCall& call, const std::string& name, const std::string& text,
                      const OpSemantics& semantics);

/// sgd, of sgd_step.
std::string optimizer_name(const TrainingCall& call);

/// Whether an input of an optimizer's step is neither the parameter nor an argument of the step.
bool is_state(const std::string& input);

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
  std::optional<double> average;               // the share of the running mean of a parameter that a step keeps
  std::optional<double> loss_scale;            // of the loss whose gradients are computed, for f16
  bool scale_follows = false;                  // initial value: it falls when gradients overflow, and rises otherwise
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

/// Reports keys of the section `train` that are unknown, missing, or hold something else.
void check_train_keys(const YamlNode& train, Diagnostics& diagnostics);

/// Optimizer, schedule, limits of gradients, groups. Errors are reported.
Optimizer read_train_section(const YamlNode& train, const std::vector<TrainedParameter>& trained,
                             const OpSemantics& semantics, Diagnostics& diagnostics);

}  // namespace tenon
