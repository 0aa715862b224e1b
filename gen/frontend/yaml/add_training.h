// The `train` section of a graph: the optimizer, and the operators of a step behind those of the loss.
#pragma once

#include "frontend/graph/graph_builder.h"
#include "support/recipe_syntax.h"

namespace tenon {

/// A parameter that training changes: an input of the graph.
struct TrainedParameter {
  std::string name;
  ValueId value = kNoValue;
  std::shared_ptr<const TensorData> initial;
};

/// The op `NAME_step` that `NAME(lr=…, …)` calls for each parameter.
struct Optimizer {
  std::string op;
  std::optional<double> lr;  // where the op has an input of this name
  Attributes attrs;
};

/// The optimizer of a call such as `sgd(lr=0.1, momentum=0.9)`. Throws RecipeError.
Optimizer read_optimizer(const std::string& call, const OpSemantics& semantics);

/// Adds the gradients of `loss` and the steps of all parameters. Appends to `outputs`, which has the network's: the
/// loss and the gradients come in front of these, the next values of states behind them. Throws GraphError.
void add_training(GraphBuilder& builder, ValueId loss, const std::vector<TrainedParameter>& parameters,
                  const Optimizer& optimizer, std::vector<std::pair<std::string, ValueId>>& outputs);

}  // namespace tenon
