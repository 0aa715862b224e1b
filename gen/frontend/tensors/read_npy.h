// Tensors from NumPy's files: .npy, and members of .npz archives.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/number/tensor_data.h"
#include "support/result.h"

namespace tenon {

/// The tensor in the bytes of a .npy file, format 1 to 3, little or big endian, C or Fortran order. `<V2` and `|V2` are
/// bf16. `where` names the file in errors. Malformed headers, other dtypes and contents of the wrong length are errors.
Result<TensorData> read_npy(std::span<const uint8_t> bytes, const std::string& where);

/// The array `member` of a .npz archive (stored or deflated); with an empty name, its only one.
Result<TensorData> read_npz(std::span<const uint8_t> bytes, const std::string& member, const std::string& where);

/// The names of the arrays of a .npz archive, without `.npy`.
Result<std::vector<std::string>> npz_names(std::span<const uint8_t> bytes, const std::string& where);

}  // namespace tenon
