// A list of up to three elements stored in its owner: the operands of an operation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "support/check.h"

namespace tenon {

template <class T>
class Few {
 public:
  Few() = default;
  Few(T a) : items_{std::move(a)}, size_(1) {}
  Few(T a, T b) : items_{std::move(a), std::move(b)}, size_(2) {}
  Few(T a, T b, T c) : items_{std::move(a), std::move(b), std::move(c)}, size_(3) {}

  void push_back(T item) {
    TENON_CHECK(size_ < items_.size(), "an operation of more than {} arguments", items_.size());
    items_[size_++] = std::move(item);
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return items_[i]; }
  const T& operator[](size_t i) const { return items_[i]; }
  T& back() { return items_[size_ - 1u]; }
  const T& back() const { return items_[size_ - 1u]; }
  T* begin() { return items_.data(); }
  T* end() { return items_.data() + size_; }
  const T* begin() const { return items_.data(); }
  const T* end() const { return items_.data() + size_; }

 private:
  std::array<T, 3> items_;
  uint8_t size_ = 0;
};

}  // namespace tenon
