// The last stages of `tenon lib`: bodies for every level, their C, and the files of the library.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/isa.h"
#include "ir/library.h"
#include "ir/op_def.h"
#include "pipeline_session.h"

namespace tenon {

/// Levels that `--isa` names, in the order of all_isas; nothing and a message on stderr when a word is none.
std::optional<std::vector<const Isa*>> chosen_levels(const std::vector<std::string>& words);
/// Lowers, emits, writes and delivers; returns the exit status.
int produce_library(Session& session, const OpLibrary& defs, const Library& library, const LibOptions& options);

}  // namespace tenon
