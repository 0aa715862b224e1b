// A pointer that is shared by counting, without locks: all owners of a node are on one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tenon {

/// The base of what `Counted` points to.
struct CountedNode {
  CountedNode() = default;
  CountedNode(const CountedNode&) noexcept {}  // a copy has owners of its own
  CountedNode& operator=(const CountedNode&) = delete;
  mutable uint32_t owners = 0;
};

/// Like std::shared_ptr<const T>, at half the size: trees of small nodes would spend much of their time on atomic
/// counters and control blocks.
template <class T>
class Counted {
 public:
  Counted() = default;
  Counted(std::nullptr_t) {}
  template <class... Parts>
  static Counted made(Parts&&... parts) {
    return Counted(new T{{}, std::forward<Parts>(parts)...});
  }

  Counted(const Counted& other) noexcept : node_(other.node_) {
    if (node_) ++node_->owners;
  }
  Counted(Counted&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Counted& operator=(Counted other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Counted() {
    if (node_ && --node_->owners == 0) delete node_;
  }

  const T* get() const { return node_; }
  const T* operator->() const { return node_; }
  const T& operator*() const { return *node_; }
  explicit operator bool() const { return node_ != nullptr; }
  bool operator==(const Counted&) const = default;
  bool operator==(std::nullptr_t) const { return node_ == nullptr; }

 private:
  explicit Counted(const T* node) : node_(node) { ++node->owners; }
  const T* node_ = nullptr;
};

}  // namespace tenon
