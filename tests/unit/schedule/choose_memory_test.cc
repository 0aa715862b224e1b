// Blocks in memories with budgets: which goes where, and what is said where one has no room.
#include "catch.h"
#include "schedule/pack_blocks.h"
#include "schedule/plan_memory.h"

namespace choose_memory_test {

using namespace tenon;

namespace {

MemoryBlock block(int64_t bytes, int first, int last, double traffic) { return {"b", bytes, {first, last}, traffic}; }

/// Whether no two blocks that are needed at once meet, and every memory keeps to its budget.
bool is_sound(const std::vector<MemoryBlock>& blocks, const std::vector<MemoryRegion>& memories,
              const MemoryChoice& c) {
  for (size_t a = 0; a < blocks.size(); ++a) {
    const auto m = static_cast<size_t>(c.memory[a]);
    const int64_t end = c.offsets[a] + blocks[a].bytes;
    if (c.memory[a] < 0 || end > c.bytes[m] || c.bytes[m] > memories[m].budget.value_or(INT64_MAX)) return false;
    for (size_t b = 0; b < a; ++b)
      if (c.memory[a] == c.memory[b] && live_together(blocks[a].life, blocks[b].life) &&
          c.offsets[a] < c.offsets[b] + blocks[b].bytes && c.offsets[b] < end)
        return false;
  }
  return true;
}

}  // namespace

TEST_CASE("memories: everything is in the first one where it fits there") {
  const std::vector<MemoryBlock> blocks = {block(128, 0, 1, 1), block(64, 1, 2, 9), block(64, 2, 3, 1)};
  const MemoryChoice c = choose_memory(blocks, {{"fast", 192}, {"slow", std::nullopt}});
  CHECK(c.memory == std::vector<int>{0, 0, 0});
  CHECK(c.bytes == std::vector<int64_t>{192, 0});
  CHECK(choose_memory(blocks, {{"ram", std::nullopt}}).bytes == std::vector<int64_t>{192});
}

TEST_CASE("memories: what is moved most often for its bytes comes first") {
  const std::vector<MemoryBlock> blocks = {block(1024, 0, 3, 2048), block(128, 0, 3, 4096), block(128, 0, 3, 256)};
  const MemoryChoice c = choose_memory(blocks, {{"fast", 192}, {"slow", 4096}});
  CHECK(c.memory == std::vector<int>{1, 0, 1});
  CHECK(c.bytes == std::vector<int64_t>{128, 1152});
}

TEST_CASE("memories: what is needed for fewer steps leaves room for others") {
  // One block over all steps, or one for each step with more traffic in all.
  const std::vector<MemoryBlock> blocks = {block(64, 0, 3, 500), block(64, 0, 0, 200), block(64, 1, 1, 200),
                                           block(64, 2, 2, 200), block(64, 3, 3, 200)};
  const MemoryChoice c = choose_memory(blocks, {{"fast", 64}, {"slow", std::nullopt}});
  CHECK(c.memory == std::vector<int>{1, 0, 0, 0, 0});
}

TEST_CASE("memories: a budget that the most useful blocks would waste is filled by others") {
  // The small block is the better one for its bytes, and then the large ones fit nowhere.
  const std::vector<MemoryBlock> blocks = {block(64, 0, 1, 1000), block(256, 0, 1, 100), block(192, 0, 1, 10)};
  const std::vector<MemoryRegion> memories = {{"fast", 256}, {"slow", 256}};
  const MemoryChoice c = choose_memory(blocks, memories);
  REQUIRE(c.left.empty());
  CHECK(is_sound(blocks, memories, c));
  CHECK(c.memory[0] == c.memory[2]);
}

TEST_CASE("memories: two blocks with more traffic together take the place of a better one") {
  const std::vector<MemoryBlock> blocks = {block(192, 0, 1, 600), block(128, 0, 1, 350), block(128, 0, 1, 340)};
  const MemoryChoice c = choose_memory(blocks, {{"fast", 256}, {"slow", std::nullopt}});
  CHECK(c.memory == std::vector<int>{1, 0, 0});
}

TEST_CASE("memories: what has no room is named, with what it would take") {
  const std::vector<MemoryBlock> blocks = {block(128, 0, 1, 1), block(128, 0, 1, 1), block(128, 1, 2, 1)};
  const MemoryChoice c = choose_memory(blocks, {{"fast", 128}, {"slow", 128}});
  CHECK(c.left.size() == 1);
  CHECK(c.needed == 256);
  const MemoryChoice exact = choose_memory(blocks, {{"fast", 128}, {"slow", 256}});
  CHECK(exact.left.empty());
}

TEST_CASE("memories: random blocks at random budgets") {
  uint64_t state = 7;
  const auto draw = [&](uint64_t n) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return static_cast<int64_t>((state >> 33) % n);
  };
  for (int turn = 0; turn < 20; ++turn) {  // packing well takes thousands of attempts
    std::vector<MemoryBlock> blocks;
    for (int64_t n = 1 + draw(20); n > 0; --n) {
      const int first = static_cast<int>(draw(10));
      blocks.push_back(block(64 * draw(17), first, first + static_cast<int>(draw(5)), static_cast<double>(draw(5000))));
    }
    const std::vector<MemoryRegion> memories = {{"a", 64 * (1 + draw(40))}, {"b", 64 * (1 + draw(40))}, {"c", {}}};
    const MemoryChoice c = choose_memory(blocks, memories);
    CHECK(c.left.empty());
    CHECK(is_sound(blocks, memories, c));
    const int64_t all = pack_blocks(blocks).bytes;
    CHECK((all > *memories[0].budget || c.bytes[0] == all));
    const MemoryChoice again = choose_memory(blocks, memories);
    CHECK((again.memory == c.memory && again.offsets == c.offsets));
  }
}

TEST_CASE("memories: the places of a plan are looked at") {
  ExecutionPlan plan;
  for (const char* name : {"x", "a", "b", "y"}) {
    PlanBuffer b;
    b.name = name;
    b.bytes = 64;
    b.kind = name[0] == 'x' ? BufferKind::Input : name[0] == 'y' ? BufferKind::Output : BufferKind::Arena;
    plan.buffers.push_back(b);
  }
  for (const std::vector<int>& tensors : {std::vector<int>{0, 1}, {0, 1, 2}, {2, 1, 3}}) {
    PlanStep s;
    s.buffers = tensors;
    plan.steps.push_back(s);
  }
  const std::vector<StepWorkspace> workspaces = {{64, 128}, {0, 0}, {0, 0}};
  plan = plan_memory(plan, workspaces, 3);
  CHECK(plan.steps[0].scratch == 64 + 3 * 128);
  CHECK(memory_faults(plan, 3).empty());
  CHECK(memory_faults(plan, 4).size() == 1);
  const ArenaTraffic traffic = {{0, 10, 5, 0}, {1, 0, 0}};
  ExecutionPlan divided = plan;
  CHECK(divide_memory(divided, {{"fast", 64}, {"slow", std::nullopt}}, traffic).empty());
  CHECK((divided.buffers[1].memory == 0 && divided.buffers[2].memory == 1 && divided.steps[0].scratch_memory == 1));
  CHECK((divided.memories[0].bytes == 64 && divided.memories[1].bytes == 448 && divided.arena_bytes == 512));
  CHECK(memory_faults(divided, 3).empty());
  divided.buffers[2].memory = 0;
  CHECK(memory_faults(divided, 3).size() == 1);
  divided.buffers[2].offset = 64;
  CHECK(memory_faults(divided, 3).size() == 1);
  divided.memories[0].bytes = 128;
  CHECK(memory_faults(divided, 3).size() == 1);
  ExecutionPlan same = plan;
  CHECK(divide_memory(same, {{"fast", 64}, {"slow", 128}}, traffic) ==
        "no room for the workspace of  (448 bytes, needed in step 0): slow would need 448 bytes and has 128; one "
        "region alone would need 512");
  CHECK(same.memories.empty());
}

}  // namespace choose_memory_test
