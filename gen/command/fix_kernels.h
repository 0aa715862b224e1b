// Adds bodies for the fixed values of --fix to the kernels of a library.
#pragma once

#include <string>
#include <vector>

#include "ir/kernel/library.h"
#include "pipeline/run.h"

namespace tenon {

/// Reads `texts` and adds the bodies that their entries ask for to the kernels of their ops; reports errors and stops.
void fix_kernels(const Run& run, const OpLibrary& defs, const std::vector<std::string>& texts, Library& library);

/// The same without a run: errors in the texts.
Diagnostics fix_library(const OpLibrary& defs, const std::vector<std::string>& texts, Library& library);

}  // namespace tenon
