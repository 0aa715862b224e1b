// Which kernels of the library compute the rows of several matrices alike.
#include "catch.h"
#include "harness/library/kernel_forms.h"
#include "library/expand_library.h"
#include "shipped_library.h"

namespace merged_rows_test {

using namespace tenon;

namespace {

std::vector<int> merged(const std::string& op) {
  const auto library = expand_library(tenon_test::shipped_ops(), {{op}, {DType::F32}});
  REQUIRE(library);
  return merged_rows(library->ops[0], library->ops[0].kernels[0]);
}

}  // namespace

TEST_CASE("rows of matrices that one matrix multiplies can be merged") {
  // P, M, K, N, then the strides of A and B: those of A from matrix to matrix and from row to row, that of B
  CHECK(merged("matmul") == std::vector<int>{0, 1, 2, 4, 5, 7, 255});
}

TEST_CASE("rows that are no pack of matrices, or share nothing, are not merged") {
  for (const char* op : {"gemm", "dense", "relu", "add", "softmax", "transpose", "conv2d", "attention", "bilinear"})
    CHECK(merged(op).empty());
}

}  // namespace merged_rows_test
