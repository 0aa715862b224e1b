// When each buffer is needed, and how many bytes that makes at each step.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/plan/execution_plan.h"

namespace tenon {

/// First and last step at which each buffer or a view of it is needed; {0, -1} for those that are never used.
/// What a loop needs from outside is needed from its first step to its last.
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

}  // namespace tenon
