// The C of a model's kernels, level by level, and how each step calls its function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/nest/isa.h"

namespace tenon {

/// A part of a step: a parallel loop whose iterations workers share, or a serial part.
struct PhaseText {
  std::string function;
  std::vector<std::string> sizes;
  bool workspace = false, worker_memory = false;
  std::vector<int64_t> numbers;  ///< after all other arguments
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

/// The functions of all levels.
std::string to_text(const std::vector<ModelLevel>& levels);

}  // namespace tenon
