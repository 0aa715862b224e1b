// The parts that all graphs in YAML have in common: names, types, inputs, modules, statements, the section `train`.
#pragma once

#include <optional>
#include <set>

#include "frontend/onnx/read_onnx.h"
#include "frontend/recipe/run_recipe.h"
#include "frontend/recipe/training_forms.h"
#include "frontend/yaml/add_training.h"
#include "support/diagnostics.h"
#include "support/yaml_document.h"

namespace tenon {

/// A base for readers of such files. Errors are collected in `diagnostics_`.
class GraphSections {
 protected:
  GraphSections(SourceFileRef file, const OpSemantics& semantics, GraphMode mode)
      : file_(std::move(file)), semantics_(semantics), mode_(mode) {}

  /// From here on, nodes are added to this graph.
  void begin(GraphDraft& draft) { draft_ = &draft; }
  GraphBuilder& builder() { return draft_->builder; }
  RunCounters& counters() { return draft_->counters; }
  TrainingForms& forms() { return draft_->forms; }

  void error(Code code, const SourceSpan& span, const std::string& message, std::vector<std::string> notes = {}) {
    diagnostics_.error(code, span, message, std::move(notes));
  }
  /// An error at `offset` of a recipe, or in the body of a module that it calls.
  void recipe_error(Code code, const PlacedText& outermost, const RecipeError& e);

  /// Whether a tensor or size may have this name, which is new.
  bool check_name(const YamlNode& key);
  /// A number or a range such as 1..64.
  static std::optional<SizeRange> range_of(const std::string& text);
  std::optional<TensorType> read_type(const YamlNode& node);
  void read_inputs(const YamlNode& map);
  void read_modules(const YamlNode& map);
  /// Statements. `is_loss`: a bare expression is the loss.
  void read_main(const YamlNode& node, bool is_loss = false);
  /// The loss, and for a step what follows from it; appends to the outputs.
  void read_training(const YamlNode& train, NamedOutputs& outputs);

  SourceFileRef file_;
  const OpSemantics& semantics_;
  GraphMode mode_;
  RecipeScope scope_, size_values_;
  RecipeFunctions modules_;
  std::set<std::string> sizes_, poisoned_;
  std::vector<TrainedParameter> trained_;
  std::vector<std::pair<RunningParameter, SourceSpan>> running_;
  bool unreadable_ = false;
  Diagnostics diagnostics_;

 private:
  std::string place_of(const SourceSpan& s) const;
  std::vector<std::string> advice(const std::string& word) const;
  std::optional<std::vector<RecipeStatement>> parse(const YamlNode& node);
  void read_step(const YamlNode& train, const YamlNode& loss, ValueId value, NamedOutputs& outputs);
  void run(RecipeContext& context, const PlacedText& text, const RecipeStatement& s);
  bool reads_poisoned(const RecipeExpr& e) const;

  GraphDraft* draft_ = nullptr;
};

}  // namespace tenon
