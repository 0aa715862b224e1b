// Execution plans of a step and of the forward network → the sources of a program that trains.
#pragma once

#include <string>
#include <vector>

#include "harness/model/model_program.h"

namespace tenon {

/// Why the program cannot call this step, or empty: the batch, the loss.
std::string training_fault(const ExecutionPlan& step);

/// The files of `--train --main` that are made from frames.
std::vector<ModelFile> training_files(const ExecutionPlan& step, const ModelFrame& frame);

/// Paths below templates/ of what they are made of.
std::vector<std::string> training_template_names();

}  // namespace tenon
