// Tensors as NumPy's files.
#pragma once

#include <string>

#include "ir/number/tensor_data.h"

namespace tenon {

/// The bytes of a .npy file of format 1.0 with the tensor; bf16 has the type `<V2`, small types one code a byte.
std::string npy_bytes(const TensorData& tensor);

}  // namespace tenon
