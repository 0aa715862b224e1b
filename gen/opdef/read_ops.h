// Reads definition files: YAML text in, a checked OpLibrary or all the diagnostics out.
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

/// The same library, whose shipped ops are read and checked when they are first asked for. Where definitions of the
/// user may change what shipped ones mean, all are read at once. An error in a shipped op throws.
Result<OpLibrary> read_ops_as_needed(const std::vector<SourceFileRef>& shipped, const std::vector<SourceFileRef>& user,
                                     const std::vector<SourceFileRef>& frames = {});

struct BrokenDefinition {
  Diagnostics diagnostics;
};

}  // namespace tenon
