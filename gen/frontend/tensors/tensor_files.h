// Tensors in files: NumPy's .npy and .npz, .safetensors.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/number/tensor_data.h"
#include "support/result.h"

namespace tenon {

/// The bytes of a file, or of `length` bytes from `offset` where length is not negative. A file that cannot be opened,
/// a folder, one that is shorter, or one over 16 GiB is an error named `where`.
Result<std::vector<uint8_t>> read_bytes(const std::string& path, const std::string& where, int64_t offset = 0,
                                        int64_t length = -1);

/// The tensor in the bytes of a .npy file, format 1 to 3, little or big endian, C or Fortran order. `<V2` and `|V2` are
/// bf16. `where` names the file in errors. Malformed headers, other dtypes and contents of the wrong length are errors.
Result<TensorData> read_npy(std::span<const uint8_t> bytes, const std::string& where);

/// What the header of a .npy file says; nothing where it is no such file.
struct NpyType {
  DType dtype;
  std::vector<int64_t> dims;
};
std::optional<NpyType> npy_type(const std::string& path);
/// "(2, 3)"
std::string shape_text(const std::vector<int64_t>& dims);

/// The array `member` of a .npz archive (stored or deflated); with an empty name, its only one.
Result<TensorData> read_npz(std::span<const uint8_t> bytes, const std::string& member, const std::string& where);

/// The names of the arrays of a .npz archive, without `.npy`.
Result<std::vector<std::string>> npz_names(std::span<const uint8_t> bytes, const std::string& where);

/// The tensor `name` of a .safetensors file: 8 bytes of header length, a JSON header, the elements. A file without that
/// name, a damaged header, offsets outside of the file and contents of the wrong length are errors named `where`.
Result<TensorData> read_safetensors(std::span<const uint8_t> bytes, const std::string& name, const std::string& where);

/// The bytes of a .npy file of format 1.0 with the tensor; bf16 has the type `<V2`, small types one code a byte.
std::string npy_bytes(const TensorData& tensor);

}  // namespace tenon
