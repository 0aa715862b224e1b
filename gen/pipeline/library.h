// The last stages of `tenon lib`: bodies for every level, their C, and the files of the library.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/kernel/library.h"
#include "ir/nest/isa.h"
#include "ir/op/math_function.h"
#include "ir/op/op_def.h"
#include "pipeline/session.h"

namespace tenon {

/// Levels that `--isa` names, in the order of all_isas; nothing and a message on stderr when a word is none.
std::optional<std::vector<const Isa*>> chosen_levels(const std::vector<std::string>& words);

/// What was read before the library was expanded.
struct LibraryInputs {
  const OpLibrary& defs;
  const MathLibrary& math;
};
/// Lowers, emits, writes and delivers; returns the exit status.
int produce_library(Session& session, const LibraryInputs& in, const Library& library, const LibOptions& options);

}  // namespace tenon
