// Blocks of memory, each live for a range of steps, at offsets where live blocks do not overlap.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/plan/execution_plan.h"
#include "ir/plan/memory_region.h"

namespace tenon {

/// First and last step at which each buffer or a view of it is needed; {0, -1} for those that are never used. Values
/// that a loop needs from outside are live from its first step to its last.
struct Lifetime {
  int first = 0;
  int last = -1;
};
std::vector<Lifetime> lifetimes(const ExecutionPlan& plan);

inline bool live_together(const Lifetime& a, const Lifetime& b) { return a.first <= b.last && b.first <= a.last; }

/// Every place of the arena begins at a multiple of this.
constexpr int64_t kArenaAlign = 64;
constexpr int64_t aligned(int64_t bytes) { return (bytes + kArenaAlign - 1) / kArenaAlign * kArenaAlign; }

/// Bytes of the arena that are in use at each step: no plan needs less than the maximum of them.
std::vector<int64_t> live_bytes(const ExecutionPlan& plan);
/// The same for one of its memories.
std::vector<int64_t> live_bytes(const ExecutionPlan& plan, size_t memory);

/// A buffer of the arena, or the workspace of a step.
struct MemoryBlock {
  std::string name;   ///< what messages call it
  int64_t bytes = 0;  ///< a multiple of kArenaAlign
  Lifetime life;
  double traffic = 0;  ///< bytes that a call moves to it and from it, where memories of several speeds ask for it
};

/// The lowest offset where the block meets none of those that are placed: pairs of a block and its offset.
int64_t lowest_offset(const MemoryBlock& block, const std::vector<std::pair<const MemoryBlock*, int64_t>>& placed);

/// Positions of the blocks in the orders that are tried: largest first, longest first, largest area first, as they come
/// to life.
std::vector<std::vector<size_t>> packing_orders(const std::vector<MemoryBlock>& blocks);

struct Packing {
  std::vector<int64_t> offsets;  ///< of the blocks
  int64_t bytes = 0;             ///< that they need together
};
/// Packs in several orders and improves the best one as long as it exceeds the maximum number of live bytes.
Packing pack_blocks(const std::vector<MemoryBlock>& blocks);

/// The maximum number of live bytes: a lower bound of any packing.
int64_t most_live(const std::vector<MemoryBlock>& blocks);

struct MemoryChoice {
  std::vector<int> memory;       ///< of each block; -1 for those that do not fit
  std::vector<int64_t> offsets;  ///< in it
  std::vector<int64_t> bytes;    ///< that each memory needs
  std::vector<size_t> left;      ///< blocks that do not fit
  int64_t needed = 0;            ///< bytes that the last memory would need to hold these too
};

/// Places each block in the first memory with space for it, starting with the blocks with the most traffic per byte of
/// the budget. Several orders are tried, and changed where that helps: of those in which all fit, the one with the most
/// traffic in the first memory is taken, then in the second, and so on.
MemoryChoice choose_memory(const std::vector<MemoryBlock>& blocks, const std::vector<MemoryRegion>& memories);

}  // namespace tenon
