// What the files of a generated model are written from.
#pragma once

#include <string>
#include <vector>

#include "harness/model/model_arena.h"
#include "harness/model/model_output.h"
#include "support/text_template.h"

namespace tenon {

struct ModelCode {
  const ExecutionPlan& plan;
  const std::vector<ModelLevel>& levels;
  const ModelFrame& frame;
  std::string name;   ///< the model's prefix
  std::string upper;  ///< that of its constants
  ModelArena arena;
  ModelWeights weights;
  std::vector<GraphSize> given, written;  ///< run-time sizes: of the caller, and those that depend on data
  std::vector<std::string> counters;      ///< as StepFrame::counters

  /// As fill_template.
  std::string fill(const std::string& path, std::vector<HoleValue> values = {}) const;
};

/// A template below templates/ with its holes filled: with `values`, and name, upper, run and version, which each
/// template may have. Its sections depend on the features of the frame and on `more`.
std::string fill_template(const ExecutionPlan& plan, const ModelFrame& frame, const std::string& path,
                          std::vector<HoleValue> values, const std::vector<Feature>& more = {});

ModelCode model_code(const ExecutionPlan& plan, const std::vector<ModelLevel>& levels, const ModelFrame& frame);

/// "f32[N, 64]"
std::string type_text(const PlanBuffer& b);
/// A name of the graph as the program prints it; a very long one is cut off and ends in dots.
std::string in_short(const std::string& name);
/// Whether extents are only known at run time.
bool has_open_extents(const PlanBuffer& b);

}  // namespace tenon
