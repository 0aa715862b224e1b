// Monomial: a product of named quantities, as a pointer that is copied and compared quickly.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/counted.h"

namespace tenon {

/// The name of a quantity, shared by all monomials that contain it. `number` is free for callers that number
/// quantities; comparisons use names.
class QuantityName {
 public:
  QuantityName() = default;
  explicit QuantityName(std::string text, size_t number = 0);

  const std::string& text() const { return node_->text; }
  size_t number() const { return node_->number; }

  bool operator==(const QuantityName& other) const { return node_ == other.node_ || text() == other.text(); }
  std::strong_ordering operator<=>(const QuantityName& other) const {
    if (node_ == other.node_) return std::strong_ordering::equal;
    return node_->begin != other.node_->begin ? node_->begin <=> other.node_->begin : text() <=> other.text();
  }

 private:
  struct Node : CountedNode {
    Node(CountedNode, std::string t, size_t n, uint64_t b) : text(std::move(t)), number(n), begin(b) {}
    std::string text;
    size_t number;
    uint64_t begin;  ///< the first eight characters, in the order of texts
  };
  Counted<Node> node_;
};

/// A product of quantities: sorted by name, with repetitions. Empty = 1.
class Monomial {
 public:
  Monomial() = default;
  explicit Monomial(QuantityName quantity);
  /// Of quantities in any order.
  static Monomial product(std::vector<QuantityName> quantities);

  bool empty() const { return !node_; }
  size_t size() const { return node_ ? node_->size : 0; }
  const QuantityName* begin() const { return node_ ? node_->data() : nullptr; }
  const QuantityName* end() const { return begin() + size(); }
  const QuantityName& operator[](size_t i) const { return begin()[i]; }

  bool operator==(const Monomial& other) const;
  std::strong_ordering operator<=>(const Monomial& other) const;

 private:
  static constexpr size_t kInPlace = 3;
  struct Node : CountedNode {
    Node(CountedNode, std::vector<QuantityName> quantities);
    Node(CountedNode, QuantityName quantity) : size(1) { few[0] = std::move(quantity); }
    const QuantityName* data() const { return size <= kInPlace ? few.data() : many.data(); }
    size_t size;
    std::array<QuantityName, kInPlace> few;
    std::vector<QuantityName> many;
  };
  Counted<Node> node_;
};

Monomial operator*(const Monomial& a, const Monomial& b);

/// `a`/`b` as a monomial if b divides a.
bool divide(const Monomial& a, const Monomial& b, Monomial& quotient);

}  // namespace tenon
