// Execution plan × C texts of its steps → the files of a generated model: header, one source a level, weights, program,
// build files.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/model_weights.h"
#include "ir/nest/isa.h"
#include "ir/plan/execution_plan.h"
#include "support/output_tree.h"

namespace tenon {

/// A part of a step whose iterations may go to workers, or that one thread carries out before the next.
struct PhaseText {
  std::string function;
  std::vector<std::string> sizes;
  bool workspace = false, worker_memory = false;
  std::vector<int64_t> numbers;  ///< behind all other arguments
  bool parallel = false;
  std::optional<int64_t> iterations;     ///< of a parallel phase; where they are open:
  std::string count_function;            ///< what computes them
  std::vector<std::string> count_sizes;  ///< from these sizes
  int64_t grain = 1;                     ///< no worker takes fewer at once
};

/// One step's function at one level, as its call has to be written.
struct StepText {
  std::string function;
  std::vector<int> tensors;        ///< arguments: tensors of the step's kernel, in order
  std::vector<std::string> sizes;  ///< then these run-time sizes
  bool workspace = false;          ///< then its scratch
  std::vector<int64_t> numbers;    ///< then these
  std::vector<PhaseText> phases;   ///< if not empty, these take the place of `function`; their tensors are those above
  std::string blueprint;           ///< how the body is scheduled, for explanations
};

/// All steps at one level.
struct ModelLevel {
  const Isa* isa = nullptr;
  std::string begin, end;       ///< what encloses the functions of a file
  std::string functions;        ///< pieces and kernels
  std::vector<StepText> steps;  ///< parallel to plan.steps
};

struct Selftest;

struct ModelFrame {
  std::string name = "net";  ///< prefix of everything
  bool main_program = false;
  bool images = false, sounds = false;  ///< what the program reads beside .npy
  int workers = 1;                      ///< that the arena has room for
  WeightsForm weights = WeightsForm::c;
  std::map<std::string, std::string> templates;  ///< text by path below templates/, all of model_template_names()
  const Selftest* selftest = nullptr;            ///< what the self-test expects; none: there is no self-test
};

/// Paths below templates/ of what write_model fills in.
std::vector<std::string> model_template_names();

/// Adds the files of the model to `out`.
void write_model(const ExecutionPlan& plan, const std::vector<ModelLevel>& levels, const ModelFrame& options,
                 OutputTree& out);

}  // namespace tenon
