// Buffers and workspaces as blocks of memory, and the places of these.
#include "schedule/plan_memory.h"

#include <fmt/format.h>

#include "schedule/pack_blocks.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The owner of a block: a buffer, or the workspace of a step.
struct BlockOwner {
  size_t index;
  bool workspace;
};

struct ArenaBlocks {
  std::vector<MemoryBlock> blocks;
  std::vector<BlockOwner> owners;
};

ArenaBlocks arena_blocks(const ExecutionPlan& plan, const ArenaTraffic* traffic) {
  const std::vector<Lifetime> life = lifetimes(plan);
  ArenaBlocks out;
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const PlanBuffer& b = plan.buffers[i];
    if (b.kind != BufferKind::Arena || life[i].last < life[i].first) continue;
    out.blocks.push_back({b.name, aligned(b.bytes), life[i], traffic ? traffic->buffers[i] : 0});
    out.owners.push_back({i, false});
  }
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const PlanStep& step = plan.steps[s];
    if (step.scratch <= 0) continue;
    const Lifetime here = {static_cast<int>(s), static_cast<int>(s)};
    out.blocks.push_back(
        {"the workspace of " + step.kernel.name, aligned(step.scratch), here, traffic ? traffic->workspace[s] : 0});
    out.owners.push_back({s, true});
  }
  return out;
}

void set_place(ExecutionPlan& plan, const BlockOwner& owner, int memory, int64_t offset) {
  if (owner.workspace) {
    plan.steps[owner.index].scratch_memory = memory;
    plan.steps[owner.index].scratch_offset = offset;
  } else {
    plan.buffers[owner.index].memory = memory;
    plan.buffers[owner.index].offset = offset;
  }
}

std::string needed_text(const Lifetime& l) {
  return l.first == l.last ? fmt::format("in step {}", l.first) : fmt::format("from step {} to {}", l.first, l.last);
}

/// The largest block that does not fit, and its size.
std::string no_room(const std::vector<MemoryBlock>& blocks, const MemoryChoice& choice,
                    const std::vector<MemoryRegion>& memories, int64_t in_one) {
  const auto largest = std::max_element(choice.left.begin(), choice.left.end(), [&](size_t a, size_t b) {
    return std::pair(blocks[a].bytes, b) < std::pair(blocks[b].bytes, a);
  });
  const MemoryBlock& block = blocks[*largest];
  const std::string others = choice.left.size() == 1 ? "" : fmt::format(" and {} more", choice.left.size() - 1);
  const MemoryRegion& last = memories.back();
  std::string out = fmt::format("no room for {} ({} bytes, needed {}){}: {} would need {} bytes and has {}", block.name,
                                block.bytes, needed_text(block.life), others, last.name, choice.needed, *last.budget);
  if (memories.size() > 1) out += fmt::format("; one region alone would need {}", in_one);
  return out;
}

/// A block with its place.
struct PlacedRange {
  const MemoryBlock* block;
  int memory;
  int64_t begin, end;
};

std::vector<PlacedRange> placed_ranges(const ExecutionPlan& plan, const ArenaBlocks& arena) {
  std::vector<PlacedRange> out;
  for (size_t i = 0; i < arena.blocks.size(); ++i) {
    const auto& [index, workspace] = arena.owners[i];
    const int memory = workspace ? plan.steps[index].scratch_memory : plan.buffers[index].memory;
    const int64_t at = workspace ? plan.steps[index].scratch_offset : plan.buffers[index].offset;
    out.push_back({&arena.blocks[i], memory, at, at + arena.blocks[i].bytes});
  }
  stable_sort(out, [](const PlacedRange& a, const PlacedRange& b) {
    return std::pair(a.memory, a.begin) < std::pair(b.memory, b.begin);
  });
  return out;
}

}  // namespace

ExecutionPlan plan_memory(ExecutionPlan plan, const std::vector<StepWorkspace>& workspaces, int workers) {
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    plan.steps[i].worker_scratch = workspaces[i].per_worker;
    plan.steps[i].scratch = workspaces[i].shared + workers * workspaces[i].per_worker;
  }
  const ArenaBlocks arena = arena_blocks(plan, nullptr);
  plan.arena_bytes = 0;
  if (arena.blocks.empty()) return plan;
  const Packing packing = pack_blocks(arena.blocks);
  for (size_t i = 0; i < arena.blocks.size(); ++i) set_place(plan, arena.owners[i], 0, packing.offsets[i]);
  plan.arena_bytes = packing.bytes;
  return plan;
}

std::string divide_memory(ExecutionPlan& plan, const std::vector<MemoryRegion>& memories, const ArenaTraffic& traffic) {
  const ArenaBlocks arena = arena_blocks(plan, &traffic);
  const MemoryChoice choice = choose_memory(arena.blocks, memories);
  if (!choice.left.empty()) return no_room(arena.blocks, choice, memories, plan.arena_bytes);
  for (size_t i = 0; i < arena.blocks.size(); ++i)
    set_place(plan, arena.owners[i], choice.memory[i], choice.offsets[i]);
  plan.memories = memories;
  plan.arena_bytes = 0;
  for (size_t m = 0; m < memories.size(); ++m) plan.arena_bytes += plan.memories[m].bytes = choice.bytes[m];
  return {};
}

std::vector<std::string> memory_faults(const ExecutionPlan& plan, int workers) {
  const ArenaBlocks arena = arena_blocks(plan, nullptr);
  const std::vector<PlacedRange> ranges = placed_ranges(plan, arena);
  std::vector<std::string> faults;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const PlacedRange& a = ranges[i];
    const int64_t bytes = plan.memories.empty() ? plan.arena_bytes : plan.memories[static_cast<size_t>(a.memory)].bytes;
    if (a.begin % kArenaAlign != 0 || a.begin < 0 || a.end > bytes)
      faults.push_back(fmt::format("{} is at {}, not in the {} bytes there", a.block->name, a.begin, bytes));
    for (size_t j = i + 1; j < ranges.size() && ranges[j].memory == a.memory && ranges[j].begin < a.end; ++j)
      if (ranges[j].end > ranges[j].begin && live_together(a.block->life, ranges[j].block->life))
        faults.push_back(
            fmt::format("{} and {} are both at {}", a.block->name, ranges[j].block->name, ranges[j].begin));
  }
  for (const MemoryRegion& m : plan.memories)
    if (m.budget && m.bytes > *m.budget)
      faults.push_back(fmt::format("{} needs {} bytes of {}", m.name, m.bytes, *m.budget));
  for (const PlanStep& s : plan.steps)
    if (s.scratch < workers * s.worker_scratch)
      faults.push_back(fmt::format("{}: {} bytes of workspace for {} workers", s.kernel.name, s.scratch, workers));
  return faults;
}

}  // namespace tenon
