// Strips of depthwise convolutions that read the image itself.
#include <cmath>
#include <sstream>

#include "catch.h"
#include "isa/all_isas.h"
#include "lower/contraction/lower_contraction.h"
#include "nest/run_nest.h"
#include "oracle/run_kernel.h"
#include "unit/lower/hand_made.h"

namespace stencil_in_place_test {

using namespace tenon;
using namespace tenon_test;

namespace {

struct Shape {
  int64_t height, width, taps, stride, pad;
};

/// Y[c, y, x] = Σ over r, s of X[c, y·stride + r - pad, x·stride + s - pad] W[c, r, s], 0 around the image
Kernel convolution(const Shape& of) {
  const int64_t rows = (of.height + 2 * of.pad - of.taps) / of.stride + 1,
                columns = (of.width + 2 * of.pad - of.taps) / of.stride + 1;
  const Expr c = constant_int(3), n = constant_int(of.taps), h = constant_int(rows), w = constant_int(columns);
  const auto place = [&](const char* at, const char* tap) {
    return v(at) * constant_int(of.stride) + v(tap) - constant_int(of.pad);
  };
  Kernel k;
  k.name = "depthwise_f32";
  k.tensors = {tensor("X", Role::Input, {c, constant_int(of.height), constant_int(of.width)}),
               tensor("W", Role::Input, {c, n, n}), tensor("Y", Role::Output, {c, h, w})};
  const Expr pixel = read_of(0, DType::F32, {v("c"), place("y", "r"), place("x", "s")}, constant_float(0, DType::F32));
  const Expr sum =
      reduce(Reducer::Sum, {{"r", n}, {"s", n}}, nullptr, pixel * at(1, {v("c"), v("r"), v("s")}), DType::F32);
  k.body = {{2, {v("c"), v("y"), v("x")}, Update::Assign, sum, {{"c", c}, {"y", h}, {"x", w}}, ""}};
  return k;
}

LoopNest lowered(const Kernel& k, std::string_view level = "x86-64-v4") {
  Blueprint strips;
  strips.name = strips.kind = "stencil";
  strips.tile_rows = 8, strips.tile_vectors = 1;
  const auto nest = lower_contraction(std::make_shared<const Kernel>(k), *isa_from_name(level), {{strips}});
  REQUIRE(nest);
  REQUIRE(verify(*nest) == std::vector<std::string>{});
  return *nest;
}

/// Whether nothing is copied.
bool in_place(const LoopNest& nest) {
  return none_of(nest.buffers, [](const Buffer& b) { return b.storage == Storage::Workspace; });
}

OracleCall call_of(const Kernel& k) {
  OracleCall call;
  for (const Tensor& t : k.tensors) {
    TensorData data;
    if (t.role == Role::Input) {
      data.dtype = t.dtype;
      int64_t elements = 1;
      for (const Expr& e : t.dims) data.dims.push_back(*constant_value(e)), elements *= data.dims.back();
      data.bytes.resize(static_cast<size_t>(elements * bytes_of(t.dtype)));
      for (int64_t i = 0; i < elements; ++i)
        store_number(data, i, Number{0, static_cast<long double>(i * 37 % 101 - 50) / 16});
    }
    call.tensors.push_back(std::move(data));
  }
  return call;
}

/// The largest difference between the nest and the oracle. All numbers are multiples of 1/16, and sums are exact.
double error_of(const Kernel& k, const LoopNest& nest) {
  OracleCall want = call_of(k), got = call_of(k);
  REQUIRE(run_kernel(k, want) == OracleStatus::Done);
  const NestRun run = run_nest(nest, got);
  CHECK(run.fault == "");
  REQUIRE(run.status == OracleStatus::Done);
  double most = 0;
  for (int64_t i = 0; i < static_cast<int64_t>(want.tensors[2].bytes.size() / sizeof(float)); ++i)
    most = std::max(most, std::fabs(real_element(want.tensors[2], i) - real_element(got.tensors[2], i)));
  return most;
}

}  // namespace

TEST_CASE("strips in place: borders, strides and lines of any length") {
  for (const Shape& s : {Shape{14, 14, 3, 1, 1}, Shape{7, 7, 3, 1, 1}, Shape{28, 28, 3, 2, 1}, Shape{9, 33, 3, 1, 1},
                         Shape{16, 40, 5, 1, 2}, Shape{15, 29, 5, 2, 2}, Shape{14, 14, 5, 2, 2}, Shape{8, 70, 3, 1, 1},
                         Shape{12, 32, 3, 1, 0}, Shape{24, 100, 3, 2, 0}, Shape{11, 3, 3, 2, 1}}) {
    CAPTURE(s.height, s.width, s.taps, s.stride, s.pad);
    const Kernel k = convolution(s);
    const LoopNest nest = lowered(k);
    CHECK(in_place(nest));
    CHECK(error_of(k, nest) == 0);
  }
}

TEST_CASE("strips in place: what needs a copy") {
  CHECK_FALSE(in_place(lowered(convolution({14, 14, 3, 1, 1}), "x86-64-v3")));  // no parts of vectors are loaded
  CHECK_FALSE(in_place(lowered(depthwise(14, 14, 3, 1))));                      // ones around the image
  CHECK_FALSE(in_place(lowered(convolution({14, 14, 5, 1, 2}))));               // registers for strips of 4 rows only
  CHECK(in_place(lowered(convolution({28, 28, 5, 2, 2}))));       // a copy of every second pixel takes longer
  CHECK_FALSE(in_place(lowered(convolution({1, 20, 3, 1, 1}))));  // a row of whole vectors
}

TEST_CASE("strips in place: long expressions are a loop over a tile") {
  Kernel k = convolution({16, 40, 3, 1, 1});
  const auto tiles = [&] { return count_if(lowered(k).buffers, [](auto& b) { return b.storage == Storage::Stack; }); };
  CHECK(tiles() == 0);
  for (int i = 0; i < 4; ++i)
    k.body[0].value =
        k.body[0].value * at(1, {v("c"), constant_int(0), constant_int(0)}) + at(0, {v("c"), v("y"), v("x")});
  CHECK(tiles() == 1);
  CHECK(error_of(k, lowered(k)) < 1);  // of values above 1e7
}

TEST_CASE("copies: every second pixel is picked within 128 bits, and the sums are put in order") {
  for (const Shape& s : {Shape{28, 28, 3, 2, 1}, Shape{15, 29, 5, 2, 2}, Shape{40, 200, 3, 2, 0},
                         Shape{14, 14, 5, 2, 2}, Shape{8, 8, 3, 2, 1}, Shape{13, 40, 9, 2, 4}})
    for (const char* level : {"x86-64-v2", "x86-64-v3", "neon"}) {
      CAPTURE(level, s.height, s.width, s.taps);
      const Kernel k = convolution(s);
      const LoopNest nest = lowered(k, level);
      const std::string text = to_text(nest);
      const bool halves = std::string(level) == "x86-64-v3";
      CHECK((count(text, "; 0 2 8 10 4 6 12 14)") > 0) == halves);
      CHECK((count(text, "; 0 1 4 5 2 3 6 7)") > 0) == halves);
      CHECK(count(text, "; 0 2 4 6 8 10 12 14)") == 0);
      CHECK(error_of(k, nest) == 0);
    }
}

TEST_CASE("planes of short lines are one line behind the sums, also where taps have no registers") {
  for (const Shape& s : {Shape{7, 7, 5, 1, 2}, Shape{14, 14, 5, 2, 2}, Shape{13, 6, 7, 1, 3}, Shape{7, 7, 3, 1, 1}}) {
    CAPTURE(s.height, s.width, s.taps);
    const Kernel k = convolution(s);
    const LoopNest nest = lowered(k, "x86-64-v3");
    int by_vectors = 0;
    std::istringstream lines(to_text(nest));
    for (std::string line; std::getline(lines, line);)
      by_vectors += line.find("for q = ") != std::string::npos && line.find("step 8") != std::string::npos;
    CHECK(by_vectors == 1);
    CHECK(error_of(k, nest) == 0);
  }
}

}  // namespace stencil_in_place_test
