// The inverse cosine transform of JPEG as sums of products, with the roundings of libjpeg's accurate one.
#include "oracle/jpeg_transform.h"

#include <algorithm>
#include <cmath>

namespace tenon {
namespace {

/// The integers by which libjpeg multiplies coefficient k for sample x.
int64_t cosine(size_t k, size_t x) {
  static constexpr int64_t kEven[4][4] = {
      {8192, 8192, 8192, 8192}, {10703, 4433, -4433, -10703}, {8192, -8192, -8192, 8192}, {4433, -10704, 10704, -4433}};
  static constexpr int64_t kOdd[4][4] = {
      {11363, 9633, 6437, 2260}, {9633, -2259, -11362, -6436}, {6437, -11362, 2261, 9633}, {2260, -6436, 9633, -11363}};
  const size_t mirrored = x < 4 ? x : 7 - x;
  if (k % 2 == 0) return kEven[k / 2][mirrored];
  return x < 4 ? kOdd[k / 2][mirrored] : -kOdd[k / 2][mirrored];
}

}  // namespace

void jpeg_samples(JpegBlock& block, const JpegBlock& factors) {
  JpegBlock rows{};
  const auto sum = [](auto&& input, size_t x) {
    int64_t s = 0;
    for (size_t k = 0; k < 8; ++k) s += std::clamp<int64_t>(input(k), -28000, 28000) * cosine(k, x);
    return s;
  };
  for (size_t at = 0; at < 64; ++at) {
    const auto column = [&](size_t k) {
      return block[8 * k + at % 8] * std::min<int64_t>(factors[8 * k + at % 8], 32767);
    };
    rows[at] = static_cast<int64_t>(std::floor(static_cast<double>(sum(column, at / 8) + 1024) / 2048));
  }
  for (size_t at = 0; at < 64; ++at) {
    const auto row = [&](size_t k) { return rows[at / 8 * 8 + k]; };
    const double v = std::floor(static_cast<double>(sum(row, at % 8) + 131072) / 262144);
    block[at] = std::clamp<int64_t>(static_cast<int64_t>(v) + 128, 0, 255);
  }
}

}  // namespace tenon
