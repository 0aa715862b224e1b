// Fills memories one after the other, in several orders of the blocks.
#include <functional>
#include <limits>
#include <numeric>

#include "schedule/pack_blocks.h"
#include "support/ranges.h"

namespace tenon {
namespace {

using Order = std::vector<size_t>;

/// Positions of the blocks with the most benefit first: traffic per byte, per byte and step, in all.
std::vector<Order> benefit_orders(const std::vector<MemoryBlock>& blocks) {
  using Benefit = std::function<double(const MemoryBlock&)>;
  const auto bytes = [](const MemoryBlock& b) { return static_cast<double>(std::max<int64_t>(b.bytes, 1)); };
  const auto steps = [](const MemoryBlock& b) { return static_cast<double>(b.life.last - b.life.first + 1); };
  const Benefit benefits[] = {[&](const MemoryBlock& b) { return b.traffic / bytes(b); },
                              [&](const MemoryBlock& b) { return b.traffic / (bytes(b) * steps(b)); },
                              [&](const MemoryBlock& b) { return b.traffic; }};
  std::vector<Order> out;
  for (const Benefit& benefit : benefits) {
    Order order(blocks.size());
    std::iota(order.begin(), order.end(), size_t{0});
    stable_sort(order, [&](size_t a, size_t b) { return benefit(blocks[a]) > benefit(blocks[b]); });
    out.push_back(std::move(order));
  }
  return out;
}

class MemoryChooser {
 public:
  MemoryChooser(const std::vector<MemoryBlock>& blocks, const std::vector<MemoryRegion>& memories)
      : blocks_(blocks), memories_(memories) {}

  MemoryChoice run() const {
    std::vector<Order> orders = benefit_orders(blocks_);
    orders.push_back(climbed(orders.front()));
    append(orders, packing_orders(blocks_));
    MemoryChoice best;
    for (Order& order : orders) {
      MemoryChoice made = fitted(std::move(order));
      if (best.memory.empty() || is_better(made, best)) best = std::move(made);
    }
    tighten(best);
    return best;
  }

 private:
  static constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();
  static constexpr size_t kWork = 20'000'000;  ///< comparisons of blocks

  int64_t budget(size_t memory) const { return memories_[memory].budget.value_or(kUnlimited); }

  std::vector<MemoryBlock> chosen(const Order& which) const {
    return mapped(which, [&](const size_t i) { return blocks_[i]; });
  }

  /// The order with blocks moved to the front for as long as that brings more traffic into the first memory.
  Order climbed(Order order) const {
    size_t work = kWork;  // comparisons of blocks
    const size_t each = std::max<size_t>(1, blocks_.size() * blocks_.size() / 2);
    double most = filled_traffic(order);
    for (bool better = true; better;) {
      better = false;
      for (size_t k = 1; k < order.size() && work >= each; ++k, work -= each) {
        Order next = order;
        std::rotate(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(k),
                    next.begin() + static_cast<std::ptrdiff_t>(k) + 1);
        const double traffic = filled_traffic(next);
        if (traffic <= most) continue;
        most = traffic;
        order = std::move(next);
        better = true;
      }
    }
    return order;
  }

  double filled_traffic(const Order& order) const {
    MemoryChoice filled = empty_choice(order);
    fill(filled, 0);
    return traffic_in(filled, 0);
  }

  /// The order's choice; while a block does not fit, the same with this block first.
  MemoryChoice fitted(Order order) const {
    const size_t rounds = std::min<size_t>(32, kWork / std::max<size_t>(1, blocks_.size() * blocks_.size()));
    MemoryChoice at = attempt(order), best = at;
    for (size_t round = 0; round < rounds && !best.left.empty(); ++round) {
      const auto first = std::find(order.begin(), order.end(), at.left.front());
      if (first == order.begin()) break;
      std::rotate(order.begin(), first, first + 1);
      at = attempt(order);
      if (is_better(at, best)) best = at;
    }
    return best;
  }

  MemoryChoice empty_choice(const Order& order) const {
    MemoryChoice out;
    out.memory.assign(blocks_.size(), -1);
    out.offsets.assign(blocks_.size(), 0);
    out.bytes.assign(memories_.size(), 0);
    out.left = order;
    return out;
  }

  MemoryChoice attempt(const Order& order) const {
    MemoryChoice out = empty_choice(order);
    for (size_t m = 0; m < memories_.size() && !out.left.empty(); ++m)
      if (!put_all(out, m)) fill(out, m);
    return out;
  }

  /// Places all that is left, where that fits.
  bool put_all(MemoryChoice& out, size_t memory) const {
    Order rest = out.left;
    sort(rest);
    const std::vector<MemoryBlock> blocks = chosen(rest);
    if (most_live(blocks) > budget(memory)) return false;
    const Packing packing = pack_blocks(blocks);
    if (packing.bytes > budget(memory)) return false;
    place(out, memory, rest, packing);
    out.left.clear();
    return true;
  }

  /// Places what fits, in the order given.
  void fill(MemoryChoice& out, size_t memory) const {
    std::vector<std::pair<const MemoryBlock*, int64_t>> placed;
    Order left;
    for (const size_t i : out.left) {
      const int64_t at = lowest_offset(blocks_[i], placed), end = at + blocks_[i].bytes;
      if (end > budget(memory)) {
        left.push_back(i);
        continue;
      }
      placed.emplace_back(&blocks_[i], at);
      out.memory[i] = static_cast<int>(memory);
      out.offsets[i] = at;
      out.bytes[memory] = std::max(out.bytes[memory], end);
    }
    out.left = std::move(left);
  }

  static void place(MemoryChoice& out, size_t memory, const Order& which, const Packing& packing) {
    for (size_t k = 0; k < which.size(); ++k) {
      out.memory[which[k]] = static_cast<int>(memory);
      out.offsets[which[k]] = packing.offsets[k];
    }
    out.bytes[memory] = packing.bytes;
  }

  /// Whether more fits; where all does, whether there is more traffic in the memories that come first.
  bool is_better(const MemoryChoice& a, const MemoryChoice& b) const {
    const int64_t left = bytes_left(a), other = bytes_left(b);
    if (left != other) return left < other;
    for (size_t m = 0; m < memories_.size(); ++m) {
      const double in_a = traffic_in(a, m), in_b = traffic_in(b, m);
      if (in_a != in_b) return in_a > in_b;
    }
    return false;
  }

  int64_t bytes_left(const MemoryChoice& c) const {
    int64_t sum = 0;
    for (const size_t i : c.left) sum += blocks_[i].bytes;
    return sum;
  }

  double traffic_in(const MemoryChoice& c, size_t memory) const {
    double sum = 0;
    for (size_t i = 0; i < blocks_.size(); ++i)
      if (c.memory[i] == static_cast<int>(memory)) sum += blocks_[i].traffic;
    return sum;
  }

  /// The buffers of one memory, packed anew: the order in which they were chosen need not be the one that packs best.
  void tighten(MemoryChoice& c) const {
    for (size_t m = 0; m < memories_.size(); ++m) {
      Order here;
      for (size_t i = 0; i < blocks_.size(); ++i)
        if (c.memory[i] == static_cast<int>(m)) here.push_back(i);
      const Packing packing = pack_blocks(chosen(here));
      if (packing.bytes < c.bytes[m]) place(c, m, here, packing);
      if (m + 1 < memories_.size() || c.left.empty()) continue;
      append(here, c.left);
      c.needed = pack_blocks(chosen(here)).bytes;
    }
  }

  const std::vector<MemoryBlock>& blocks_;
  const std::vector<MemoryRegion>& memories_;
};

}  // namespace

MemoryChoice choose_memory(const std::vector<MemoryBlock>& blocks, const std::vector<MemoryRegion>& memories) {
  return MemoryChooser(blocks, memories).run();
}

}  // namespace tenon
