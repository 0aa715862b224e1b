// Which of several memories each block of the arena goes to.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/plan/memory_region.h"
#include "schedule/pack_blocks.h"

namespace tenon {

struct MemoryChoice {
  std::vector<int> memory;       ///< of each block; -1 for those that do not fit
  std::vector<int64_t> offsets;  ///< in it
  std::vector<int64_t> bytes;    ///< that each memory needs
  std::vector<size_t> left;      ///< blocks that do not fit
  int64_t needed = 0;            ///< bytes that the last memory would need to hold these too
};

/// Each block in the first memory with space for it, those first whose bytes are moved most often for what they
/// take of the budget; all where they fit. Several orders are tried, and changed where that helps: of those in which
/// all fit, the one with the most traffic in the first memory is taken, then in the second, and so on.
MemoryChoice choose_memory(const std::vector<MemoryBlock>& blocks, const std::vector<MemoryRegion>& memories);

}  // namespace tenon
