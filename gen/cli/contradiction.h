// Flags that exclude each other, or need another one.
#pragma once

#include <string>

#include "pipeline.h"

namespace tenon {

/// Empty, or what is wrong with flags that are well formed each for itself.
std::string contradiction(const Options& options);

}  // namespace tenon
