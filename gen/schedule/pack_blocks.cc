// Blocks in several orders, each at the lowest offset where it fits.
#include "schedule/pack_blocks.h"

#include <functional>
#include <numeric>

#include "support/ranges.h"

namespace tenon {
namespace {

/// An order of the blocks and where that puts them.
struct OrderedPacking {
  std::vector<size_t> order;
  Packing packing;
};

OrderedPacking pack_in_order(const std::vector<MemoryBlock>& blocks, std::vector<size_t> order) {
  OrderedPacking out{std::move(order), {std::vector<int64_t>(blocks.size(), 0), 0}};
  std::vector<std::pair<const MemoryBlock*, int64_t>> placed;
  placed.reserve(blocks.size());
  for (const size_t i : out.order) {
    const int64_t at = lowest_offset(blocks[i], placed);
    placed.emplace_back(&blocks[i], at);
    out.packing.offsets[i] = at;
    out.packing.bytes = std::max(out.packing.bytes, at + blocks[i].bytes);
  }
  return out;
}

int64_t length(const MemoryBlock& b) { return b.life.last - b.life.first + 1; }

/// Places the block that ends highest earlier, for as long as that makes the memory smaller.
Packing improved(const std::vector<MemoryBlock>& blocks, OrderedPacking at) {
  constexpr size_t kWork = 20'000'000;  // comparisons of blocks; large plans get fewer rounds
  const size_t rounds = kWork / std::max<size_t>(1, blocks.size() * blocks.size());
  const int64_t least = most_live(blocks);
  Packing best = at.packing;
  for (size_t round = 0; round < rounds && best.bytes > least; ++round) {
    size_t highest = 0;
    for (size_t i = 0; i < at.order.size(); ++i)
      if (at.packing.offsets[at.order[i]] + blocks[at.order[i]].bytes == at.packing.bytes) highest = i;
    if (highest == 0) break;
    std::vector<size_t> order = at.order;
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(highest),
                order.begin() + static_cast<std::ptrdiff_t>(highest) + 1);
    at = pack_in_order(blocks, std::move(order));
    if (at.packing.bytes < best.bytes) best = at.packing;
  }
  return best;
}

}  // namespace

int64_t lowest_offset(const MemoryBlock& block, const std::vector<std::pair<const MemoryBlock*, int64_t>>& placed) {
  std::vector<std::pair<int64_t, int64_t>> taken;
  for (const auto& [other, at] : placed)
    if (live_together(other->life, block.life)) taken.emplace_back(at, at + other->bytes);
  sort(taken);
  int64_t at = 0;
  for (const auto& [begin, end] : taken) {
    if (at + block.bytes <= begin) break;
    at = std::max(at, end);
  }
  return at;
}

std::vector<std::vector<size_t>> packing_orders(const std::vector<MemoryBlock>& blocks) {
  using Key = std::function<std::pair<int64_t, int64_t>(const MemoryBlock&)>;
  const Key keys[] = {[](const MemoryBlock& b) {
                        return std::pair{-b.bytes, -length(b)};
                      },
                      [](const MemoryBlock& b) {
                        return std::pair{-length(b), -b.bytes};
                      },
                      [](const MemoryBlock& b) {
                        return std::pair{-b.bytes * length(b), int64_t{0}};
                      },
                      [](const MemoryBlock& b) {
                        return std::pair<int64_t, int64_t>{b.life.first, -b.bytes};
                      }};
  std::vector<std::vector<size_t>> out;
  for (const Key& key : keys) {
    std::vector<size_t> order(blocks.size());
    std::iota(order.begin(), order.end(), size_t{0});
    stable_sort(order, [&](size_t a, size_t b) { return key(blocks[a]) < key(blocks[b]); });
    out.push_back(std::move(order));
  }
  return out;
}

Packing pack_blocks(const std::vector<MemoryBlock>& blocks) {
  OrderedPacking best;
  for (std::vector<size_t>& order : packing_orders(blocks)) {
    OrderedPacking p = pack_in_order(blocks, std::move(order));
    if (best.order.empty() || p.packing.bytes < best.packing.bytes) best = std::move(p);
  }
  return improved(blocks, std::move(best));
}

int64_t most_live(const std::vector<MemoryBlock>& blocks) {
  int last = -1;
  for (const MemoryBlock& b : blocks) last = std::max(last, b.life.last);
  std::vector<int64_t> live(static_cast<size_t>(last + 1), 0);
  for (const MemoryBlock& b : blocks)
    for (int s = b.life.first; s <= b.life.last; ++s) live[static_cast<size_t>(s)] += b.bytes;
  return live.empty() ? 0 : *std::max_element(live.begin(), live.end());
}

}  // namespace tenon
