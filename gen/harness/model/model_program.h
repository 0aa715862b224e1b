// Execution plan → the sources of the program around a model: its command line and the files that it reads and writes.
#pragma once

#include <string>
#include <vector>

#include "harness/model/model_output.h"

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

/// Rows that tell a file's format, and what the program can do with it.
std::string other_files(const ModelFrame& frame);

/// Whether an input can be an image (f32, f64, u8 or i8; [H, W], [C, H, W], [H, W, C] or one of these with an axis N
/// in front, C 1 or 3), or samples of a sound (f32, f64 or i16; all axes but one are 1).
bool takes_picture(const PlanBuffer& input);
bool takes_sound(const PlanBuffer& input);

}  // namespace tenon
