// The error of a quantised model, and the distribution of a value.
#include "command/quantization_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tenon {

std::vector<int64_t> largest_places(const TensorData& tensor) {
  int64_t row = 1;
  for (size_t d = tensor.dims.size(); d-- > 0 && row == 1;) row = std::max<int64_t>(tensor.dims[d], 1);
  std::vector<int64_t> out;
  for (int64_t begin = 0; begin + row <= element_count(tensor.dims); begin += row) {
    int64_t best = 0;
    for (int64_t k = 1; k < row; ++k)
      if (real_element(tensor, begin + k) > real_element(tensor, begin + best)) best = k;
    out.push_back(best);
  }
  return out;
}

void QuantizationError::add(const TensorData& exact, const TensorData& rounded) {
  for (int64_t k = 0; k < element_count(exact.dims); ++k) {
    const double x = real_element(exact, k), off = std::abs(x - real_element(rounded, k));
    low_ = count_ == 0 ? x : std::min(low_, x);
    high_ = count_ == 0 ? x : std::max(high_, x);
    largest_ = std::max(largest_, off);
    sum_ += off;
    ++count_;
  }
  const std::vector<int64_t> a = largest_places(exact), b = largest_places(rounded);
  for (size_t r = 0; r < a.size(); ++r) {
    ++rows_;
    if (a[r] == b[r]) ++same_;
  }
}

std::string QuantizationError::text() const {
  if (count_ == 0) return "no elements";
  const double range = high_ - low_;
  return fmt::format("largest error {:.3g}, mean error {:.3g}{}; {} of {} rows have the same largest element", largest_,
                     sum_ / static_cast<double>(count_),
                     range > 0 ? fmt::format(", {:.2g} % of the range", 100 * largest_ / range) : "", same_, rows_);
}

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
