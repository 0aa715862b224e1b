// Fuzzes ONNX bytes: any model is read or refused, and a graph that is read is sound.
#include <cstdint>

#include "../onnx_table_files.h"
#include "../small_library.h"
#include "frontend/onnx/read_onnx.h"
#include "support/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const tenon::OnnxTable table = *tenon::read_onnx_table(tenon_test::onnx_table_files("opdefs"));
  static const tenon::OpSemantics semantics = tenon_test::small_semantics();
  const auto graph = tenon::read_onnx({"fuzz.onnx", {data, size}}, table, semantics, {{"N", {1, 8}}});
  if (graph.ok()) TENON_CHECK(tenon::verify(*graph).empty(), "{}", tenon::verify(*graph)[0]);
  return 0;
}
