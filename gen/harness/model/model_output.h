// Execution plan × C texts of its steps → the files of a generated model: header, one source a level, weights, program,
// build files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/model/model_weights.h"
#include "ir/plan/execution_plan.h"
#include "ir/text/model_text.h"
#include "support/output_tree.h"

namespace tenon {

struct Selftest;

/// The forward network of a step of training, which validation calls. Its outputs are the loss and those of the
/// network.
struct ForwardModel {
  std::string name;
  ExecutionPlan plan;
  std::vector<ModelLevel> levels;
};

struct ModelFrame {
  std::string name = "net";  ///< prefix of everything
  bool main_program = false;
  bool images = false, sounds = false;  ///< what the program reads next to .npy
  int workers = 1;                      ///< that the arena has space for
  WeightsForm weights = WeightsForm::c;
  ByteOrder byte_order = ByteOrder::little;      ///< of the machine
  std::map<std::string, std::string> templates;  ///< text by path below templates/, all of model_template_names()
  bool freestanding = false;                     ///< no header of a C library, only those of the compiler
  std::string source = "a graph";                ///< the file's name, for the first line of each file
  const Selftest* selftest = nullptr;            ///< what the self-test expects; none: there is no self-test
  bool training = false;                         ///< a call is a step of training
  const ForwardModel* forward = nullptr;         ///< of a program that trains
  bool mpi = false;                              ///< a step is one of several processes, over MPI
  bool libm = false;                             ///< kernels call <math.h>: what links them needs -lm
};

/// Whether the model has pools of threads next to it, which need headers of a C library.
inline bool has_pool(const ModelFrame& f) { return f.workers > 1 && !f.freestanding; }

/// Name of the function that is a call of the model: NAME_run, NAME_step of a step of training.
std::string entry_of(const ModelFrame& frame);

/// Paths below templates/ of what write_model fills in.
std::vector<std::string> model_template_names();

/// Adds the files of the model to `out`.
void write_model(const ExecutionPlan& plan, const std::vector<ModelLevel>& levels, const ModelFrame& options,
                 OutputTree& out);

}  // namespace tenon
