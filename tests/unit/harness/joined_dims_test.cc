// Which kernels of the library copy from dimension to dimension.
#include "catch.h"
#include "harness/library/kernel_forms.h"
#include "library/expand_library.h"
#include "shipped_library.h"

namespace joined_dims_test {

using namespace tenon;

namespace {

std::vector<int> joined(const std::string& op) {
  const auto library = expand_library(tenon_test::shipped_ops(), {{op}, {DType::F32}});
  REQUIRE(library);
  return joined_dims(library->ops[0].kernels[0]);
}

}  // namespace

TEST_CASE("dimensions of copies at a distance, with periods and with steps can be joined") {
  CHECK(joined("pad") == std::vector<int>{8, 16, 24, 0, 255});
  CHECK(joined("tile") == std::vector<int>{0, 8, 17, 255, 255});
  CHECK(joined("pad_wrap") == std::vector<int>{8, 16, 25, 0, 255});
  CHECK(joined("slice").size() == 5);
}

TEST_CASE("dimensions in which elements turn around or stop cannot be joined") {
  for (const char* op : {"pad_reflect", "pad_edge", "stretch_ones", "flip", "roll", "transpose", "gather", "relu"})
    CHECK(joined(op).empty());
}

}  // namespace joined_dims_test
