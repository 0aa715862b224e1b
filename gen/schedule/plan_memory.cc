// Where each intermediate tensor and each kernel's workspace is in the arena.
#include "schedule/plan_memory.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace tenon {
namespace {

constexpr int64_t kAlign = 64;
int64_t aligned(int64_t n) { return (n + kAlign - 1) / kAlign * kAlign; }

struct ArenaBlock {
  int64_t bytes = 0;  ///< a multiple of the alignment
  Lifetime life;
  int64_t* offset = nullptr;
};

bool together(const Lifetime& a, const Lifetime& b) { return a.first <= b.last && b.first <= a.last; }

/// An order of the blocks and where that puts them.
struct Placement {
  std::vector<size_t> order;
  std::vector<int64_t> offsets;
  int64_t bytes = 0;
};

/// Each block of the order at the lowest offset where it fits between those before it that live with it.
Placement pack(const std::vector<ArenaBlock>& blocks, std::vector<size_t> order) {
  Placement p{std::move(order), std::vector<int64_t>(blocks.size(), 0), 0};
  std::vector<std::pair<int64_t, int64_t>> taken;
  for (size_t i = 0; i < p.order.size(); ++i) {
    const ArenaBlock& b = blocks[p.order[i]];
    taken.clear();
    for (size_t j = 0; j < i; ++j)
      if (const ArenaBlock& o = blocks[p.order[j]]; together(o.life, b.life))
        taken.emplace_back(p.offsets[p.order[j]], p.offsets[p.order[j]] + o.bytes);
    std::sort(taken.begin(), taken.end());
    int64_t at = 0;
    for (const auto& [begin, end] : taken) {
      if (at + b.bytes <= begin) break;
      at = std::max(at, end);
    }
    p.offsets[p.order[i]] = at;
    p.bytes = std::max(p.bytes, at + b.bytes);
  }
  return p;
}

int64_t length(const ArenaBlock& b) { return b.life.last - b.life.first + 1; }

/// The orders that are tried: largest first, longest first, largest area first, as they come to life.
std::vector<std::vector<size_t>> orders(const std::vector<ArenaBlock>& blocks) {
  using Key = std::function<std::pair<int64_t, int64_t>(const ArenaBlock&)>;
  const Key keys[] = {[](const ArenaBlock& b) {
                        return std::pair{-b.bytes, -length(b)};
                      },
                      [](const ArenaBlock& b) {
                        return std::pair{-length(b), -b.bytes};
                      },
                      [](const ArenaBlock& b) {
                        return std::pair{-b.bytes * length(b), int64_t{0}};
                      },
                      [](const ArenaBlock& b) {
                        return std::pair<int64_t, int64_t>{b.life.first, -b.bytes};
                      }};
  std::vector<std::vector<size_t>> out;
  for (const Key& key : keys) {
    std::vector<size_t> order(blocks.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key(blocks[a]) < key(blocks[b]); });
    out.push_back(std::move(order));
  }
  return out;
}

/// Places the block that ends highest earlier, for as long as that makes the arena smaller.
Placement improved(const std::vector<ArenaBlock>& blocks, Placement best, int64_t least) {
  constexpr size_t kWork = 20'000'000;  // comparisons of blocks; large plans get fewer rounds
  const size_t rounds = kWork / std::max<size_t>(1, blocks.size() * blocks.size());
  Placement at = best;
  for (size_t round = 0; round < rounds && best.bytes > least; ++round) {
    size_t highest = 0;
    for (size_t i = 0; i < at.order.size(); ++i)
      if (at.offsets[at.order[i]] + blocks[at.order[i]].bytes == at.bytes) highest = i;
    if (highest == 0) break;
    std::vector<size_t> order = at.order;
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(highest),
                order.begin() + static_cast<std::ptrdiff_t>(highest) + 1);
    at = pack(blocks, std::move(order));
    if (at.bytes < best.bytes) best = at;
  }
  return best;
}

std::vector<ArenaBlock> arena_blocks(ExecutionPlan& plan) {
  const std::vector<Lifetime> life = lifetimes(plan);
  std::vector<ArenaBlock> blocks;
  for (size_t i = 0; i < plan.buffers.size(); ++i)
    if (plan.buffers[i].kind == BufferKind::Arena && life[i].last >= life[i].first)
      blocks.push_back({aligned(plan.buffers[i].bytes), life[i], &plan.buffers[i].offset});
  for (size_t s = 0; s < plan.steps.size(); ++s)
    if (plan.steps[s].scratch > 0)
      blocks.push_back(
          {aligned(plan.steps[s].scratch), {static_cast<int>(s), static_cast<int>(s)}, &plan.steps[s].scratch_offset});
  return blocks;
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
      for (const PlanCopy& c : r.after)
        touch(c.to, span.last, static_cast<RegionId>(id)), touch(c.from, span.last, static_cast<RegionId>(id));
    }
    const int end = static_cast<int>(plan_.steps.size()) - 1;
    for (const PlanState& s : plan_.state) touch(s.next, end, kTopLevel);
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
    b = root_of(plan_, b);
    Lifetime& l = out_[static_cast<size_t>(b)];
    widen(l, step, step);
    for (RegionId r = region; !lies_in(plan_.regions, plan_.buffers[static_cast<size_t>(b)].region, r);
         r = plan_.regions[static_cast<size_t>(r)].parent)
      widen(l, spans_[static_cast<size_t>(r)].first, spans_[static_cast<size_t>(r)].last);
  }

  const ExecutionPlan& plan_;
  const std::vector<Lifetime> spans_;
  std::vector<Lifetime> out_;
};

}  // namespace

std::vector<Lifetime> lifetimes(const ExecutionPlan& plan) { return LifetimeFinder(plan).run(); }

std::vector<int64_t> live_bytes(const ExecutionPlan& plan) {
  std::vector<int64_t> live(plan.steps.size(), 0);
  const std::vector<Lifetime> life = lifetimes(plan);
  for (size_t i = 0; i < plan.buffers.size(); ++i)
    if (plan.buffers[i].kind == BufferKind::Arena)
      for (int s = life[i].first; s <= life[i].last; ++s)
        live[static_cast<size_t>(s)] += aligned(plan.buffers[i].bytes);
  for (size_t s = 0; s < plan.steps.size(); ++s) live[s] += aligned(plan.steps[s].scratch);
  return live;
}

ExecutionPlan plan_memory(ExecutionPlan plan, const std::vector<StepWorkspace>& workspaces, int workers) {
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    plan.steps[i].worker_scratch = workspaces[i].per_worker;
    plan.steps[i].scratch = workspaces[i].shared + workers * workspaces[i].per_worker;
  }
  const std::vector<ArenaBlock> blocks = arena_blocks(plan);
  plan.arena_bytes = 0;
  if (blocks.empty()) return plan;
  const std::vector<int64_t> live = live_bytes(plan);
  const int64_t least = *std::max_element(live.begin(), live.end());
  Placement best;
  for (std::vector<size_t>& order : orders(blocks)) {
    Placement p = pack(blocks, std::move(order));
    if (best.order.empty() || p.bytes < best.bytes) best = std::move(p);
  }
  best = improved(blocks, std::move(best), least);
  for (size_t i = 0; i < blocks.size(); ++i) *blocks[i].offset = best.offsets[i];
  plan.arena_bytes = best.bytes;
  return plan;
}

}  // namespace tenon
