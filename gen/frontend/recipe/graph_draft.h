// A graph that is being read, with the changes of training to its calls.
#pragma once

#include "frontend/recipe/training_forms.h"

namespace tenon {

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
