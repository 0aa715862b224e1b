// A part of the arena in a memory region of the target, fast or slow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tenon {

struct MemoryRegion {
  std::string name;               ///< C identifier
  std::optional<int64_t> budget;  ///< bytes that there are; nothing: as many as are needed
  int64_t bytes = 0;              ///< of these, what the plan needs
};

}  // namespace tenon
