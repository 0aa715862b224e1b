// Bodies of library kernels that copy: which of them a call gets depends on steps, strides and the number of operands.
#include "catch.h"
#include "isa/all_isas.h"
#include "library/expand_library.h"
#include "lower/lower_kernel.h"
#include "schedule/read_blueprints.h"
#include "shipped_library.h"

namespace copy_bodies_test {

using namespace tenon;

namespace {

std::string nest_of(const std::string& op, const char* level = "x86-64-v4") {
  const auto library = expand_library(tenon_test::shipped_ops(), {{op}, {DType::F32}});
  REQUIRE(library);
  const Isa& isa = *isa_from_name(level);
  return to_text(*lower_levels(library->ops[0].kernels[0].kernel, tenon_test::shipped_blueprints(), {&isa})[0]);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("copy bodies: slices that go backwards turn vectors around") {
  const std::string nest = nest_of("slice");
  INFO(nest);
  CHECK(contains(nest, "if eq(step_7, -1)"));
  CHECK(contains(nest, "15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0"));
}

TEST_CASE("copy bodies: what repeats one value along a line is no transposed tile") {
  const std::string expanded = nest_of("expand"), repeated = nest_of("repeat");
  INFO(expanded << repeated);
  CHECK(contains(expanded, "if eq(X_s1, 0)"));
  CHECK(contains(expanded, "splat"));
  CHECK(contains(repeated, "splat"));
  CHECK_FALSE(contains(repeated, "shuffle"));
}

TEST_CASE("copy bodies: two operands are joined without loops for those that are absent") {
  const std::string nest = nest_of("concat");
  INFO(nest);
  const size_t two =
      nest.find("if and(and(and(and(and(eq(D2, 0), eq(D3, 0)), eq(D4, 0)), eq(D5, 0)), eq(D6, 0)), eq(D7, 0))");
  REQUIRE(two != std::string::npos);
  const size_t all = nest.find("else", nest.find("(b1,", two));
  CHECK(nest.substr(two, nest.find("(b2,", two) - two).find("(b1,") != std::string::npos);
  CHECK(all != std::string::npos);
  CHECK_FALSE(contains(nest_of("add"), "eq(D"));
}

TEST_CASE("copy bodies: updates along the last axis have no loop for each element") {
  for (const char* op : {"scatter_add", "scatter_elements_add", "scatter"}) {
    const std::string nest = nest_of(op);
    INFO(nest);
    CHECK(contains(nest, "if eq(Q, 1)"));
  }
}

TEST_CASE("copy bodies: single elements of operands that may be absent are copied operand by operand") {
  const std::string nest = nest_of("stack");
  INFO(nest);
  const size_t one = nest.find("if eq(Q, 1)"), others = nest.find("else", one);
  REQUIRE(others != std::string::npos);
  const std::string body = nest.substr(one, others - one);
  const size_t operand = body.find("for at_X1 ");
  REQUIRE(operand != std::string::npos);
  CHECK(body.find("for p ", operand) < body.find("for at_X2 "));
  CHECK_FALSE(contains(body, "store<"));
}

TEST_CASE("copy bodies: gathers of single elements have a loop of their own without vectors, too") {
  const std::string nest = nest_of("take_along_axis", "portable");
  INFO(nest);
  CHECK(contains(nest, "if eq(Q, 1)"));
}

TEST_CASE("copy bodies: the length of short runs is looked at before the loops over them") {
  const std::string repeated = nest_of("repeat", "x86-64-v3");
  INFO(repeated);
  for (const char* length : {"if and(ge(Q, 4), le(Q, 8))", "if and(ge(Q, 2), le(Q, 3))", "if ge(Q, 8)"}) {
    const size_t at = repeated.find(length);
    REQUIRE(at != std::string::npos);
  }
  CHECK(contains(nest_of("repeat", "x86-64-v4"), "if ge(Q, 16)"));
  CHECK_FALSE(contains(nest_of("repeat", "x86-64-v4"), "ge(Q, 4)"));
}

TEST_CASE("copy bodies: short rows of several operands are gone over once for each of these") {
  const std::string nest = nest_of("concat", "x86-64-v3");
  INFO(nest);
  CHECK(contains(nest, "if and(le(mul(D0, Q), 8), le(mul(D1, Q), 8))"));
  CHECK(contains(nest, "if gt(mul(D1, Q), 0)"));
  // columns of one element: two operands in one loop, also where there may be more of them
  for (const char* pair :
       {"if and(eq(mul(D0, Q), 1), eq(mul(D1, Q), 1))", "if and(eq(mul(D6, Q), 1), eq(mul(D7, Q), 1))"})
    CHECK(contains(nest, pair));
}

TEST_CASE("copy bodies: what is outside along a line is padding without a condition") {
  const std::string nest = nest_of("pad", "x86-64-v3");
  INFO(nest);
  const size_t left = nest.find("for o_7 = 0 .. o_7_end step 1");
  REQUIRE(left != std::string::npos);
  CHECK(nest.substr(left, 300).find("select") == std::string::npos);
  CHECK(contains(nest, "if inside"));
}

TEST_CASE("copy bodies: neither rows nor lines of repeated tensors divide") {
  for (const char* op : {"tile", "roll"}) {
    const std::string nest = nest_of(op, "x86-64-v3");
    INFO(nest);
    CHECK(contains(nest, op == std::string("tile") ? "for o_6_period " : "for i_period "));
  }
}

TEST_CASE("copy bodies: elements far apart are copied one by one, four in turn") {
  const std::string nest = nest_of("slice", "x86-64-v3");
  INFO(nest);
  CHECK_FALSE(contains(nest, "gather<"));
  CHECK(contains(nest, "bit_and(O_7, -4)"));
}

}  // namespace copy_bodies_test
