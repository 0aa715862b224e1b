// The quick way to fold f32 arithmetic gives what the interpreter gives.
#include "oracle/fold_binary.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <random>

#include "catch.h"
#include "frame_files.h"
#include "library/expand_node.h"
#include "opdef/read_ops.h"
#include "support/read_source.h"

namespace fold_binary_test {

using namespace tenon;

namespace {

TensorData random_floats(const std::vector<int64_t>& dims, std::mt19937& random) {
  TensorData t{DType::F32, dims, {}};
  for (int64_t i = 0; i < element_count(dims); ++i) {
    const float f = std::uniform_real_distribution<float>(-2, 2)(random);
    const auto* b = reinterpret_cast<const uint8_t*>(&f);
    t.bytes.insert(t.bytes.end(), b, b + 4);
  }
  return t;
}

}  // namespace

TEST_CASE("folding of f32 arithmetic: the interpreter's result, broadcast operands included") {
  auto defs =
      read_ops({*read_source(TENON_CHECKOUT "/opdefs/elementwise.yaml")}, {}, tenon_test::frame_files(TENON_CHECKOUT));
  REQUIRE(defs.ok());
  std::mt19937 random(5);
  const std::pair<std::vector<int64_t>, std::vector<int64_t>> shapes[] = {
      {{3, 4}, {3, 4}}, {{6, 2, 3, 5}, {6, 1, 1, 1}}, {{4}, {2, 3, 1}}, {{}, {5, 2}}, {{1}, {1}}};
  for (const char* op : {"add", "sub", "mul", "div"})
    for (const auto& [left, right] : shapes) {
      OracleCall quick, slow;
      std::vector<GivenTensor> given;
      for (const auto* dims : {&left, &right}) {
        quick.tensors.push_back(random_floats(*dims, random));
        GivenTensor g;
        g.present = true;
        g.dtype = DType::F32;
        for (const int64_t d : *dims) g.dims.push_back(constant_int(d));
        given.push_back(std::move(g));
      }
      slow = quick;
      Diagnostics diagnostics;
      const auto node = expand_node({*defs, *defs->op(op), given}, {}, diagnostics);
      REQUIRE(node);
      INFO(to_text(node->kernel));
      REQUIRE(run_kernel(node->kernel, slow) == OracleStatus::Done);
      CHECK(fold_binary(node->kernel, quick));
      CHECK(quick.tensors.back().bytes == slow.tensors.back().bytes);
    }
}

TEST_CASE("folding of f32 arithmetic: nothing else is touched") {
  auto defs =
      read_ops({*read_source(TENON_CHECKOUT "/opdefs/elementwise.yaml")}, {}, tenon_test::frame_files(TENON_CHECKOUT));
  REQUIRE(defs.ok());
  GivenTensor g;
  g.present = true;
  g.dtype = DType::F32;
  g.dims = {constant_int(4)};
  for (const char* op : {"exp", "maximum"}) {
    Diagnostics diagnostics;
    const auto node = expand_node({*defs, *defs->op(op), std::vector<GivenTensor>(op == std::string("exp") ? 1 : 2, g)},
                                  {}, diagnostics);
    REQUIRE(node);
    OracleCall call;
    CHECK_FALSE(fold_binary(node->kernel, call));
    CHECK(call.tensors.empty());
  }
}

}  // namespace fold_binary_test
