// Trained weights → ONNX.
#pragma once

#include <map>
#include <string>

#include "frontend/onnx/read_onnx.h"
#include "ir/number/tensor_data.h"

namespace tenon {

using NamedTensors = std::map<std::string, TensorData>;

/// The model with these contents instead of its initializers of the same names and types; all else is as it was, but
/// that contents of other files are in the model now. A name or type that the model does not have is an error.
Result<std::string> onnx_with_weights(const OnnxSource& source, const NamedTensors& weights);

/// A model without nodes whose initializers, which are its outputs too, are these tensors.
Result<std::string> onnx_of_weights(const std::string& name, const NamedTensors& weights);

}  // namespace tenon
