// Execution plan → the sources of the program around a model: its command line and the files that it reads and writes.
#pragma once

#include <string>
#include <vector>

#include "harness/model/model_output.h"
#include "support/text_template.h"

namespace tenon {

/// A file below src/; sources are compiled, the others included.
struct ModelFile {
  std::string name;
  std::string text;
  bool is_source = true;
};

/// The files of `--main` that are made from frames, those of `--images` and `--sounds` among them.
std::vector<ModelFile> program_files(const ExecutionPlan& plan, const ModelFrame& frame,
                                     const std::vector<ModelLevel>& levels);

/// The program's messages about files of other formats: the holes of model_npy.c.in.
std::vector<HoleValue> file_advice(const ModelFrame& frame);

/// Whether an input can be an image (f32, f64, u8 or i8; [H, W], [C, H, W], [H, W, C] or one of these with an axis N
/// in front, C 1 or 3), or samples of a sound (f32, f64 or i16; all axes but one are 1).
bool takes_picture(const PlanBuffer& input);
bool takes_sound(const PlanBuffer& input);

/// Why the program cannot call this step, or empty: the batch, the loss.
std::string training_fault(const ExecutionPlan& step);

/// The files of `--train --main` that are made from frames.
std::vector<ModelFile> training_files(const ExecutionPlan& step, const ModelFrame& frame);

/// Paths below templates/ of what they are made of.
std::vector<std::string> training_template_names();

}  // namespace tenon
