// Compares tensors element by element and row by row.
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

}  // namespace tenon
