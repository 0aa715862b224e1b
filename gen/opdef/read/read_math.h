// Reads math entries: YAML with the key `math` in, a checked MathLibrary or all the diagnostics out.
#pragma once

#include <vector>

#include "ir/op/math_function.h"
#include "support/result.h"

namespace tenon {

/// Reads every file. An entry under the key `float` stands for f32 and f64. Entries may call those of any file; a call
/// that leads back to its own entry is an error.
/// Entries of `instead` replace those of the same name and type.
Result<MathLibrary> read_math(const std::vector<SourceFileRef>& files, const std::vector<SourceFileRef>& instead = {});

}  // namespace tenon
