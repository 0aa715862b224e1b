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

namespace {

/// The steps of each region.
std::vector<Lifetime> spans(const ExecutionPlan& plan) {
  std::vector<Lifetime> out(plan.regions.size());
  for (size_t s = 0; s < plan.steps.size(); ++s)
    for (RegionId r = plan.steps[s].region; r != kTopLevel; r = plan.regions[static_cast<size_t>(r)].parent) {
      Lifetime& l = out[static_cast<size_t>(r)];
      if (l.last < l.first) l.first = static_cast<int>(s);
      l.last = static_cast<int>(s);
    }
  return out;
}

class LifetimeFinder {
 public:
  explicit LifetimeFinder(const ExecutionPlan& plan) : plan_(plan), spans_(spans(plan)), out_(plan.buffers.size()) {}

  std::vector<Lifetime> run() {
    for (size_t s = 0; s < plan_.steps.size(); ++s)
      for (const int b : plan_.steps[s].buffers) touch(b, static_cast<int>(s), plan_.steps[s].region);
    for (size_t id = 0; id < plan_.regions.size(); ++id) {
      const PlanRegion& r = plan_.regions[id];
      const Lifetime& span = spans_[id];
      for (const int b : {r.count, r.starts, r.condition}) touch(b, span.first, r.parent);
      for (const PlanCopy& c : r.before) touch(c.to, span.first, r.parent), touch(c.from, span.first, r.parent);
      touch(r.count, span.last, r.parent);
      touch(r.continues, span.last, static_cast<RegionId>(id));
      for (const PlanCopy& c : r.after) touch(c.to, span.last, static_cast<RegionId>(id)), touch(c.from, span.last, static_cast<RegionId>(id));
    }
    return out_;
  }

 private:
  static void widen(Lifetime& l, int first, int last) {
    l.first = l.last < l.first ? first : std::min(l.first, first);
    l.last = std::max(l.last, last);
  }

  /// What comes from outside of a loop is needed in every iteration.
  void touch(int b, int step, RegionId region) {
    if (b < 0) return;
    while (plan_.buffers[static_cast<size_t>(b)].kind == BufferKind::Slice) b = plan_.buffers[static_cast<size_t>(b)].whole;
    Lifetime& l = out_[static_cast<size_t>(b)];
    widen(l, step, step);
    for (RegionId r = region; !lies_in(plan_.regions, plan_.buffers[static_cast<size_t>(b)].region, r); r = plan_.regions[static_cast<size_t>(r)].parent)
      widen(l, spans_[static_cast<size_t>(r)].first, spans_[static_cast<size_t>(r)].last);
  }

  const ExecutionPlan& plan_;
  const std::vector<Lifetime> spans_;
  std::vector<Lifetime> out_;
};

}  // namespace

std::vector<Lifetime> lifetimes(const ExecutionPlan& plan) { return LifetimeFinder(plan).run(); }

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
