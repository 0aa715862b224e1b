// What the program of a step has for several processes that train together, each on a part of every batch.
#pragma once

#include <string>
#include <vector>

#include "support/text_template.h"

namespace tenon {

/// Texts of the program that those of processes are made of.
struct TrainingTexts {
  std::string name;           ///< the model's prefix
  std::string set_seed;       ///< where the step draws random numbers, the state that they follow from; else empty
  std::string look_at_whole;  ///< functions that compare the first batch with its parts
};

/// The holes of train_main.c.in that differ between one process and several.
std::vector<HoleValue> holes_of_one_process(const TrainingTexts& texts);
std::vector<HoleValue> holes_of_processes(const TrainingTexts& texts);

}  // namespace tenon
