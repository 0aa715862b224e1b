// Fuzzes the readers of tensor files: .npy, .npz and .safetensors. The first byte chooses which.
#include "frontend/tensors/tensor_files.h"

#include <cstdint>

#include "support/check.h"

namespace {

void expect_answer(const tenon::Result<tenon::TensorData>& tensor) {
  TENON_CHECK(tensor.ok() || !tensor.diagnostics().empty(), "refused without a reason");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::span<const uint8_t> bytes(data + 1, size - 1);
  switch (data[0] % 4) {
    case 0: expect_answer(tenon::read_npy(bytes, "fuzz.npy")); break;
    case 1: expect_answer(tenon::read_npz(bytes, "", "fuzz.npz")); break;
    case 2: expect_answer(tenon::read_npz(bytes, "x", "fuzz.npz")); break;
    default: expect_answer(tenon::read_safetensors(bytes, "x", "fuzz.safetensors")); break;
  }
  return 0;
}
