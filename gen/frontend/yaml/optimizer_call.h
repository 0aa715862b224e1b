// Calls in a section `train`: `optimizer: sgd(lr=0.1)`, `schedule: cosine(steps=1000)`.
#pragma once

#include "frontend/graph/op_semantics.h"
#include "frontend/recipe/training_forms.h"

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

/// The output that replaces an input of a step, if the input is a state.
std::optional<size_t> state_output(const OpSignature& s, const std::string& input);
/// Whether an input of an optimizer's step is neither the parameter nor an argument of the step.
bool is_state(const std::string& input);

}  // namespace tenon
