// Flags that exclude each other, or need another one.
#pragma once

#include <string>

#include "pipeline.h"

namespace tenon {

/// Empty, or a contradiction between flags, each of which is valid by itself.
std::string contradiction(const Options& options);

}  // namespace tenon
