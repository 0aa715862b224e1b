// Bodies of library kernels for long rows: searches in rows of bytes, and sums of products with one row or column.
#include "catch.h"
#include "isa/all_isas.h"
#include "library/expand_library.h"
#include "lower/lower_kernel.h"
#include "shipped_library.h"

namespace long_rows_test {

using namespace tenon;

namespace {

/// The kernel without an optional input is the last.
std::string nest_of(const std::string& op, std::string_view level, DType type = DType::F32, bool last = false) {
  const auto library = expand_library(tenon_test::shipped_ops(), {{op}, {type}});
  REQUIRE(library);
  const Isa& isa = *isa_from_name(level);
  const auto& kernels = library->ops[0].kernels;
  const Kernel& kernel = (last ? kernels.back() : kernels.front()).kernel;
  return to_text(*lower_levels(kernel, tenon_test::shipped_blueprints(), {&isa})[0]);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("long rows: the position of an extreme in a long row of bytes is sought in one block") {
  for (const char* op : {"argmax", "argmin"}) {
    const std::string bytes = nest_of(op, "x86-64-v3", DType::U8), words = nest_of(op, "x86-64-v3", DType::I32);
    INFO(bytes);
    CHECK(count_of(bytes, "ge(D, 768)") == 2);  // the first of equals, and the last
    CHECK(count_of(bytes, "ge(D, 16384)") == 2);
    CHECK_FALSE(contains(words, "768"));
  }
}

TEST_CASE("long rows: long sums of products of a matrix with one row go several together, by blocks") {
  for (const char* level : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    INFO(level);
    CHECK(count_of(nest_of("matvec", level), "for m = 0 .. m_together step") ==
          2);  // below 512 elements and from there on
    const std::string gemm = nest_of("gemm", level);
    CHECK(contains(gemm, "short sums, or one row: the sums of adjacent columns are reduced into one vector"));
    CHECK(contains(gemm, "one column, contiguous along the depth: several rows at a time"));
  }
}

TEST_CASE("long rows: panels of integers that few tiles read are copied at least four at a time") {
  const std::string gemm = nest_of("gemm", "x86-64-v3", DType::I32);
  INFO(gemm);
  CHECK(contains(gemm, "select(le(rows, 24), min("));
}

TEST_CASE("long rows: the right side of very few rows of integers is copied for vectors alone") {
  CHECK(contains(nest_of("gemm", "x86-64-v3", DType::I32), "gt(depth, 1024)"));
  CHECK_FALSE(contains(nest_of("gemm", "portable", DType::I32), "gt(depth, 1024)"));
}

TEST_CASE("long rows: four columns at most are not taken eight together") {
  for (const char* level : {"x86-64-v3", "x86-64-v4"}) {
    INFO(level);
    CHECK(count_of(nest_of("gemm", level, DType::F32, true), "for n = 0 .. n_together step") == 1);
  }
}

TEST_CASE("long rows: a matrix that is dense along its columns is read row by row for one column too") {
  const std::string gemm = nest_of("gemm", "x86-64-v3");
  INFO(gemm);
  CHECK(contains(gemm, "one row: a sum of scaled rows of the right side, a block of rows at a time"));
  CHECK(contains(gemm, "one column: a sum of scaled columns of the left side, a block of rows at a time"));
}

}  // namespace long_rows_test
