// A float model in ONNX → the same model in 8-bit integers: between QuantizeLinear and DequantizeLinear, weights a
// channel.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frontend/onnx/read_onnx.h"
#include "support/result.h"

namespace tenon {

/// The step between the numbers that a value takes.
struct RealRange {
  double low = 0, high = 0;
};
using RealRanges = std::map<std::string, RealRange>;

/// The result of quantising a model.
struct QuantizedModel {
  std::string bytes;
  int quantized = 0, left = 0;  ///< convolutions and products in integers, and those that stay in floats
};

/// A prepared model: opset 13 or later, batch normalisation folded into the weights.
class QuantizableModel {
 public:
  /// `kept`: names of nodes, or of what they make, that stay in floats.
  static Result<QuantizableModel> read(const OnnxSource& source, const std::vector<std::string>& kept);

  /// Names of `kept` that the model does not have.
  const std::vector<std::string>& unknown() const;
  /// Values whose ranges are needed; none where no node has weights that can be integers.
  const std::vector<std::string>& values() const;
  /// The float model, with those values as outputs after its own where they are neither inputs nor outputs.
  Result<std::string> with_values() const;
  /// The model in integers. `ranges` has every one of values().
  Result<QuantizedModel> quantized(const RealRanges& ranges) const;

  QuantizableModel(QuantizableModel&&) noexcept;
  QuantizableModel& operator=(QuantizableModel&&) noexcept;
  ~QuantizableModel();

 private:
  struct State;
  explicit QuantizableModel(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tenon
