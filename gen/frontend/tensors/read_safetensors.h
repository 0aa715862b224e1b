// Tensors from .safetensors files.
#pragma once

#include <span>
#include <string>

#include "ir/number/tensor_data.h"
#include "support/result.h"

namespace tenon {

/// The tensor `name` of a .safetensors file: 8 bytes of header length, a JSON header, the elements. A file without that
/// name, a damaged header, offsets outside of the file and contents of the wrong length are errors named `where`.
Result<TensorData> read_safetensors(std::span<const uint8_t> bytes, const std::string& name, const std::string& where);

}  // namespace tenon
