// What differs between training and inference: ops that have another form in a step of training, or outside of one.
//
// In a step, a call of NAME is one of NAME_training where there is such an op; elsewhere it is one of NAME_inference.
// An input S of the form with an output S_next is a state: then the form is taken where a running parameter is given
// for S, and S_next replaces the parameter. The inputs `step` and `run_seed` are given by the step.
#pragma once

#include "frontend/graph/graph_builder.h"
#include "frontend/recipe/recipe_call.h"

namespace tenon {

/// The purpose for which a graph with a section `train` is read: the network alone, a training step, or the validation
/// loss.
enum class GraphMode { network, step, validation };

using NamedOutputs = std::vector<std::pair<std::string, ValueId>>;

/// The name of the next value of a state, of an op or of the graph.
std::string next_of(const std::string& name);
/// The output of an op that replaces an input, if the input is a state.
std::optional<size_t> next_output(const OpSignature& s, const std::string& input);

/// States that count steps and keep the seed of the run, made where they are first read.
class RunCounters {
 public:
  explicit RunCounters(GraphBuilder& builder) : builder_(builder) {}
  /// i64[], the number of the step, 1 at first.
  ValueId step();
  /// i64[], which the program that trains sets before the first step.
  ValueId seed();
  /// Appends the next values to the outputs.
  void finish(NamedOutputs& outputs);

 private:
  GraphBuilder& builder_;
  ValueId counter_ = kNoValue, step_ = kNoValue, seed_ = kNoValue;
};

class TrainingForms {
 public:
  TrainingForms(GraphMode mode, RunCounters& counters) : mode_(mode), counters_(counters) {}

  /// A parameter that steps replace by what the network computes.
  void add_running(ValueId parameter) { latest_[parameter] = parameter; }
  /// The node of a call: `form` of a RecipeContext. Throws RecipeError.
  RecipeValue call(RecipeContext& context, const RecipeCall& call);
  /// The value that replaces the running parameter: the parameter itself if nothing does.
  ValueId latest(ValueId parameter) const { return latest_.at(parameter); }

 private:
  bool is_running(const RecipeValue& v) const;
  bool reads_running(const OpSignature& s, const RecipeCall& call) const;
  std::string form_of(const RecipeContext& context, const RecipeCall& call) const;
  void give_counters(const OpSignature& s, RecipeCall& call);
  RecipeValue call_with_states(RecipeContext& context, const OpSignature& s, RecipeCall call);

  GraphMode mode_;
  RunCounters& counters_;
  std::map<ValueId, ValueId> latest_;  // running parameter → its value after the calls so far
  int64_t seeds_ = 0;                  // used by calls that name none
};

struct GraphDraft {
  GraphDraft(const OpSemantics& semantics, std::string name, std::string program, GraphMode mode)
      : builder(semantics, std::move(name), std::move(program)), forms(mode, counters) {}
  GraphDraft(const GraphDraft&) = delete;
  GraphDraft& operator=(const GraphDraft&) = delete;

  GraphBuilder builder;
  RunCounters counters{builder};
  TrainingForms forms;
};

}  // namespace tenon
