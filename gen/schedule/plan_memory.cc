// Where each intermediate tensor and each kernel's workspace lies in the arena.
#include "schedule/plan_memory.h"

#include <algorithm>

namespace tenon {
namespace {

constexpr int64_t kAlign = 64;
int64_t aligned(int64_t n) { return (n + kAlign - 1) / kAlign * kAlign; }

struct Block {
  int64_t bytes;
  Lifetime life;
  int64_t* offset;
};

bool together(const Lifetime& a, const Lifetime& b) { return a.first <= b.last && b.first <= a.last; }

/// The lowest offset at which `bytes` fit between the blocks that are placed and live at the same time.
int64_t lowest_gap(const Block& b, const std::vector<Block>& placed) {
  std::vector<std::pair<int64_t, int64_t>> taken;
  for (const Block& p : placed)
    if (together(p.life, b.life)) taken.emplace_back(*p.offset, *p.offset + aligned(p.bytes));
  std::sort(taken.begin(), taken.end());
  int64_t at = 0;
  for (const auto& [begin, end] : taken) {
    if (at + aligned(b.bytes) <= begin) break;
    at = std::max(at, end);
  }
  return at;
}

}  // namespace

std::vector<Lifetime> lifetimes(const ExecutionPlan& plan) {
  std::vector<Lifetime> out(plan.buffers.size());
  for (size_t s = 0; s < plan.steps.size(); ++s)
    for (const int b : plan.steps[s].buffers) {
      if (b < 0) continue;
      Lifetime& l = out[static_cast<size_t>(b)];
      if (l.last < l.first) l.first = static_cast<int>(s);
      l.last = static_cast<int>(s);
    }
  return out;
}

void plan_memory(ExecutionPlan& plan) {
  const std::vector<Lifetime> life = lifetimes(plan);
  std::vector<Block> blocks;
  for (size_t i = 0; i < plan.buffers.size(); ++i)
    if (plan.buffers[i].kind == BufferKind::Arena && life[i].last >= life[i].first) blocks.push_back({plan.buffers[i].bytes, life[i], &plan.buffers[i].offset});
  for (size_t s = 0; s < plan.steps.size(); ++s)
    if (plan.steps[s].scratch > 0)
      blocks.push_back({plan.steps[s].scratch, {static_cast<int>(s), static_cast<int>(s)}, &plan.steps[s].scratch_offset});
  std::stable_sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) { return a.bytes > b.bytes; });
  std::vector<Block> placed;
  plan.arena_bytes = 0;
  for (const Block& b : blocks) {
    *b.offset = lowest_gap(b, placed);
    plan.arena_bytes = std::max(plan.arena_bytes, *b.offset + aligned(b.bytes));
    placed.push_back(b);
  }
}

}  // namespace tenon
