// The distribution of a value, from which its quantisation range is chosen.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/quantize/quantize_onnx.h"
#include "ir/number/tensor_data.h"

namespace tenon {

class ValueHistogram {
 public:
  /// Counts the elements; those that are not finite are left out.
  void add(const TensorData& tensor);
  /// From the smallest to the largest element; {0, 0} without any.
  RealRange range() const { return count_ == 0 ? RealRange{} : range_; }
  /// What holds `percent` of the elements, with as many below as above.
  RealRange range_of(double percent) const;

 private:
  void count(double x);

  RealRange range_;
  int64_t count_ = 0;
  double limit_ = 0;  ///< bins are between -limit_ and limit_, a power of two
  std::vector<int64_t> bins_ = {};
};

}  // namespace tenon
