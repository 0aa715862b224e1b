// The kernels of a library as loop nests, level by level.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/kernel/library.h"
#include "ir/nest/isa.h"
#include "ir/nest/loop_nest.h"

namespace tenon {

struct LoweredKernel {
  const Kernel* kernel = nullptr;              ///< of the library that was lowered
  std::vector<std::optional<LoopNest>> nests;  ///< per level; nothing where the level below does as well
};

struct LoweredLibrary {
  std::vector<const Isa*> levels;
  std::vector<LoweredKernel> kernels;  ///< each kernel once, in the library's order
};

/// All nests, level by level.
std::string to_text(const LoweredLibrary& library);
/// Errors in any of the nests, with its name; empty when all are valid.
std::vector<std::string> verify(const LoweredLibrary& library);

}  // namespace tenon
