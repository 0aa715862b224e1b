// Depthwise convolutions along one line, and planes whose lines are shorter than a vector.
#include "lower/contraction/lower_contraction.h"
#include "unit/lower/hand_made.h"

namespace stencil_lines_test {

using namespace tenon;
using namespace tenon_test;

namespace {

Blueprint strips() {
  Blueprint out;
  out.name = out.kind = "stencil";
  out.tile_rows = 8, out.tile_vectors = 1, out.rows_in_registers = 4;
  return out;
}

LoopNest nest_of(const Kernel& k, std::string_view level) {
  const auto nest = lower_contraction(std::make_shared<const Kernel>(k), *isa_from_name(level), {{strips()}});
  REQUIRE(nest);
  REQUIRE(verify(*nest) == std::vector<std::string>{});
  return *nest;
}

/// Y[c, x] = Σ over s of X[c, x + s - 1] W[c, s]: 6 channels of a line.
Kernel line(const Expr& length, int64_t taps) {
  const Expr c = constant_int(6), s = constant_int(taps);
  Kernel k;
  k.name = "line_f32";
  if (!constant_value(length)) k.sizes = {{"N"}};
  k.tensors = {tensor("X", Role::Input, {c, length}), tensor("W", Role::Input, {c, s}),
               tensor("Y", Role::Output, {c, length})};
  const Expr pixel = read_of(0, DType::F32, {v("c"), v("x") + v("s") - constant_int(1)}, constant_float(0, DType::F32));
  const Expr sum = reduce(Reducer::Sum, {{"s", s}}, nullptr, pixel * at(1, {v("c"), v("s")}), DType::F32);
  k.body = {{2, {v("c"), v("x")}, Update::Assign, sum, {{"c", c}, {"x", length}}, ""}};
  return k;
}

std::string strip_of(int64_t length, int64_t taps, std::string_view level = "x86-64-v3") {
  return nest_of(line(constant_int(length), taps), level).functions.at(0).name;
}

/// Products that the strips of the line sum, by vectors.
int64_t products(const LoopNest& nest) {
  int64_t n = 0;
  for (const Stmt& s : nest.functions.at(0).body) n += std::holds_alternative<SAssign>(s.node);
  return n;
}

}  // namespace

TEST_CASE("a strip of a line has vectors along it, not rows that are not there") {
  CHECK(strip_of(24, 5) == "planes_2x3");  // of two channels
  CHECK(strip_of(40, 5) == "strip_5");
  CHECK(strip_of(100, 5) == "strip_7");  // 13 vectors, in two strips
  CHECK(strip_of(100, 9) == "strip_4");  // the taps have 9 registers
  CHECK(strip_of(100, 20) == "strip_7");
  CHECK(strip_of(100, 5, "x86-64-v4") == "strip_7");
  CHECK(strip_of(100, 5, "portable") == "strip_1");
}

TEST_CASE("no product of a line is computed twice where strips cover it") {
  CHECK(products(nest_of(line(constant_int(24), 5), "x86-64-v3")) == 2 * 3 * 5);
  CHECK(products(nest_of(line(constant_int(40), 5), "x86-64-v3")) == 5 * 5);
}

TEST_CASE("lines of open length take as many vectors as a strip has rows") {
  const LoopNest nest = nest_of(line(size_ref("N"), 5), "x86-64-v3");
  CHECK(nest.functions[0].name == "strip_8");
  CHECK(products(nest) == 8 * 5);
  CHECK(count(to_text(nest), "step 64") == 1);
}

TEST_CASE("lines shorter than a vector are copied as one, but for the last, behind which nothing may be read") {
  for (const char* level : {"x86-64-v2", "x86-64-v3"}) {
    const int64_t width = level[8] == '2' ? 3 : 5;
    const std::string text = to_text(nest_of(depthwise_3x3(25, width), level));
    CHECK(count(text, "for at = 1 .. 25 step 1") == 1);
    CHECK(count(text, "for at = 25 .. 26 step 1") == 1);
  }
  // 5 elements behind the one of the last line but two: lines of 3 elements until the third from the end
  CHECK(count(to_text(nest_of(depthwise_3x3(25, 3), "x86-64-v3")), "for at = 1 .. 24 step 1") == 1);
  // parts of vectors are stored as they are there, and whole vectors need nothing of the kind
  CHECK(count(to_text(nest_of(depthwise_3x3(25, 5), "x86-64-v4")), "for at = 25 ..") == 0);
  CHECK(count(to_text(nest_of(depthwise_3x3(25, 9), "x86-64-v3")), "for at = 25 ..") == 0);
}

}  // namespace stencil_lines_test
