// Bins that double their width where a number is beyond them.
#include <algorithm>
#include <cmath>

#include "command/quantization_error.h"

namespace tenon {
namespace {

constexpr size_t kBins = 8192;

}  // namespace

void ValueHistogram::add(const TensorData& tensor) {
  for (int64_t k = 0; k < element_count(tensor.dims); ++k) {
    const double x = real_element(tensor, k);
    if (std::isfinite(x)) count(x);
  }
}

void ValueHistogram::count(double x) {
  range_ = count_++ == 0 ? RealRange{x, x} : RealRange{std::min(range_.low, x), std::max(range_.high, x)};
  if (bins_.empty()) {
    bins_.resize(kBins);
    limit_ = 0x1p-20;
  }
  while (std::abs(x) >= limit_) {
    limit_ *= 2;
    std::vector<int64_t> wider(kBins);
    for (size_t b = 0; b < kBins; ++b) wider[kBins / 4 + b / 2] += bins_[b];
    bins_ = std::move(wider);
  }
  const auto bin = static_cast<size_t>((x / limit_ + 1) * (kBins / 2.0));
  ++bins_[std::min(bin, kBins - 1)];
}

RealRange ValueHistogram::range_of(double percent) const {
  if (count_ == 0) return {};
  const double outside = static_cast<double>(count_) * (100 - percent) / 200;
  const double width = 2 * limit_ / kBins;
  size_t low = 0, high = kBins;
  for (double sum = 0; low < kBins && (sum += static_cast<double>(bins_[low])) <= outside;) ++low;
  for (double sum = 0; high > low + 1 && (sum += static_cast<double>(bins_[high - 1])) <= outside;) --high;
  return {std::max(range_.low, -limit_ + width * static_cast<double>(low)),
          std::min(range_.high, -limit_ + width * static_cast<double>(high))};
}

}  // namespace tenon
