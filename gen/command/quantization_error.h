// The error of a quantised model against the float model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/quantize/quantize_onnx.h"
#include "ir/number/tensor_data.h"

namespace tenon {

class QuantizationError {
 public:
  void add(const TensorData& exact, const TensorData& rounded);
  /// `largest error 0.01, mean error 0.001, 0.5 % of the range; 98 of 100 rows have the same largest element`.
  std::string text() const;

 private:
  double largest_ = 0, sum_ = 0, low_ = 0, high_ = 0;
  int64_t count_ = 0, rows_ = 0, same_ = 0;
};

/// Positions of the largest element of each row: along the last axis of more than one element.
std::vector<int64_t> largest_places(const TensorData& tensor);

class ValueHistogram {
 public:
  /// Counts the elements; those that are not finite are left out.
  void add(const TensorData& tensor);
  /// From the smallest to the largest element; {0, 0} without any.
  RealRange range() const { return count_ == 0 ? RealRange{} : range_; }
  /// The interval that holds `percent` of the elements, with as many below as above.
  RealRange range_of(double percent) const;

 private:
  void count(double x);

  RealRange range_;
  int64_t count_ = 0;
  double limit_ = 0;  ///< bins are between -limit_ and limit_, a power of two
  std::vector<int64_t> bins_ = {};
};

}  // namespace tenon
