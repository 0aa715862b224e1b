// A map keyed by address, for walks over shared nodes: one block of memory, without an iteration order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tenon {

template <class Value>
class PointerMap {
 public:
  /// Null if there is none. Valid until the next insertion.
  const Value* find(const void* key) const {
    if (slots_.empty()) return nullptr;
    const Slot& s = slots_[place_of(key)];
    return s.first ? &s.second : nullptr;
  }
  /// The value of the key, made where there was none.
  Value& operator[](const void* key) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& s = slots_[place_of(key)];
    if (!s.first) {
      s.first = key;
      ++used_;
    }
    return s.second;
  }
  void clear() {
    slots_.clear();
    used_ = 0;
  }

 private:
  using Slot = std::pair<const void*, Value>;

  /// Where the key is, or the free slot where it would go.
  size_t place_of(const void* key) const {
    const size_t mask = slots_.size() - 1;
    const uint64_t spread = reinterpret_cast<uintptr_t>(key) * uint64_t{0x9E3779B97F4A7C15};
    size_t i = static_cast<size_t>(spread >> 32) & mask;
    while (slots_[i].first && slots_[i].first != key) i = (i + 1) & mask;
    return i;
  }
  void grow() {
    std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.empty() ? 16 : 2 * slots_.size()));
    for (Slot& s : old)
      if (s.first) slots_[place_of(s.first)] = std::move(s);
  }

  std::vector<Slot> slots_;  ///< a power of two of them, at most half of them used
  size_t used_ = 0;
};

}  // namespace tenon
