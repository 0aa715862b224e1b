// What the runtime of a library has for gradients, as values of its templates' holes; empty where it has none.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/library/library_output.h"
#include "support/text_template.h"

namespace tenon {

/// Paths below templates/ of the parts.
std::vector<std::string> gradient_template_names();
/// Places that a kernel's sizes may come from.
std::string gradient_sources(bool wanted);
/// Declarations of the functions that open and close gradients.
std::string gradient_operands(bool wanted, const LibraryOptions& options);
/// Holes of the source `part`.
std::vector<HoleValue> gradient_holes(const std::string& part, bool wanted, const LibraryOptions& options);

}  // namespace tenon
