// Bodies of library kernels for thin shapes, and what bodies leave out or put in where shapes are unknown.
#include "catch.h"
#include "isa/all_isas.h"
#include "library/expand_library.h"
#include "lower/lower_kernel.h"
#include "shipped_library.h"

namespace library_shapes_test {

using namespace tenon;

namespace {

std::string nest_of(const std::string& op, DType type, std::string_view level = "x86-64-v4") {
  const auto library = expand_library(tenon_test::shipped_ops(), {{op}, {type}});
  REQUIRE(library);
  const Isa& isa = *isa_from_name(level);
  return to_text(*lower_levels(library->ops[0].kernels[0].kernel, tenon_test::shipped_blueprints(), {&isa})[0]);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("library shapes: rows of a product that follow each other in the result are not divided into their dims") {
  CHECK_FALSE(contains(nest_of("conv_transpose2d", DType::F32), "_above"));
}

TEST_CASE("library shapes: what vectors read after a padded copy is zero, not what the workspace had") {
  CHECK(contains(nest_of("conv2d", DType::F32), ", Cg)] = 0:f32x16"));
  CHECK_FALSE(contains(nest_of("conv2d_i32", DType::I8), ", Cg)] = 0:"));
}

}  // namespace library_shapes_test
