// Products of quantities: made, compared and divided.
#include "algebra/monomial.h"

#include <iterator>

#include "support/ranges.h"

namespace tenon {
namespace {

/// The first eight characters as a number with the same order.
uint64_t first_characters(const std::string& text) {
  uint64_t out = 0;
  for (size_t i = 0; i < sizeof out; ++i) out = out << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0u);
  return out;
}

}  // namespace

QuantityName::QuantityName(std::string text, size_t number) {
  const uint64_t begin = first_characters(text);
  node_ = Counted<Node>::made(std::move(text), number, begin);
}

Monomial::Node::Node(CountedNode, std::vector<QuantityName> quantities) : size(quantities.size()) {
  if (size <= kInPlace) std::move(quantities.begin(), quantities.end(), few.begin());
  else many = std::move(quantities);
}

Monomial::Monomial(QuantityName quantity) : node_(Counted<Node>::made(std::move(quantity))) {}

Monomial Monomial::product(std::vector<QuantityName> quantities) {
  Monomial out;
  if (quantities.empty()) return out;
  sort(quantities);
  out.node_ = Counted<Node>::made(std::move(quantities));
  return out;
}

bool Monomial::operator==(const Monomial& other) const {
  return node_ == other.node_ || std::equal(begin(), end(), other.begin(), other.end());
}

std::strong_ordering Monomial::operator<=>(const Monomial& other) const {
  if (node_ == other.node_) return std::strong_ordering::equal;
  return std::lexicographical_compare_three_way(begin(), end(), other.begin(), other.end());
}

Monomial operator*(const Monomial& a, const Monomial& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  std::vector<QuantityName> all(a.begin(), a.end());
  append(all, b);
  return Monomial::product(std::move(all));
}

bool divide(const Monomial& a, const Monomial& b, Monomial& quotient) {
  if (b.empty()) {
    quotient = a;
    return true;
  }
  if (!std::includes(a.begin(), a.end(), b.begin(), b.end())) return false;
  std::vector<QuantityName> rest;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(rest));
  quotient = Monomial::product(std::move(rest));
  return true;
}

}  // namespace tenon
