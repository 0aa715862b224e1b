// The door for definition files: YAML text in, a checked OpLibrary or all the diagnostics out.
#pragma once

#include <vector>

#include "ir/op/op_def.h"
#include "support/result.h"

namespace tenon {

/// Reads the generator's own files and then the user's, whose definitions win over shipped ones of the same name.
/// `frames` are the C templates that definitions may name. Reports everything that is wrong in all files at once.
/// Warnings may accompany the library.
Result<OpLibrary> read_ops(const std::vector<SourceFileRef>& shipped, const std::vector<SourceFileRef>& user,
                           const std::vector<SourceFileRef>& frames = {});

}  // namespace tenon
