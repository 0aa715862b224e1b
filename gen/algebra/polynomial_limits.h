// The limits of exact polynomial arithmetic: larger values count as overflow and prove nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tenon {

constexpr std::int64_t kLargestCoefficient = std::int64_t{1} << 62;
constexpr std::size_t kMostTerms = 256;
constexpr std::size_t kHighestDegree = 16;

inline bool too_large(std::int64_t coefficient) {
  return coefficient > kLargestCoefficient || coefficient < -kLargestCoefficient;
}

}  // namespace tenon
