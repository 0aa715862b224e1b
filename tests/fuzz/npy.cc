// Fuzzes .npy, .npz and .safetensors: the tensor fits its bytes, or the file is refused.
#include <cstdint>

#include "frontend/read_npy.h"
#include "frontend/read_safetensors.h"
#include "support/check.h"

namespace {

void check(const tenon::Result<tenon::TensorData> &tensor) {
  if (!tensor.ok()) return;
  const int64_t count = tenon::element_count(tensor->dims);
  TENON_CHECK(count >= 0 && static_cast<uint64_t>(count) * static_cast<uint64_t>(tenon::bytes_of(tensor->dtype)) == tensor->bytes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  check(tenon::read_npy({data, size}, "fuzz"));
  check(tenon::read_npz({data, size}, "", "fuzz"));
  check(tenon::read_npz({data, size}, "a", "fuzz"));
  check(tenon::read_safetensors({data, size}, "w", "fuzz"));
  return 0;
}
