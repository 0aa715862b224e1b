// Tiles of filters along lines of pixels, and the order of every second pixel.
#include <cmath>

#include "catch.h"
#include "isa/all_isas.h"
#include "lower/contraction/lower_contraction.h"
#include "nest/run_nest.h"
#include "oracle/run_kernel.h"
#include "unit/lower/hand_made.h"

namespace filter_lines_test {

using namespace tenon;
using namespace tenon_test;

namespace {

constexpr int64_t kPanel = 16;

struct Shape {
  int64_t filters, channels, height, width, taps, stride, pad;
};

/// Y[f, y, x] = max(Σ over c, r, s of X[c, y·stride + r - pad, x·stride + s - pad] W[f, c, r, s] + B[f], 0), 0 around
/// the image, the weights in panels of 16 filters.
Kernel convolution(const Shape& of, DType type = DType::F32) {
  const int64_t rows = (of.height + 2 * of.pad - of.taps) / of.stride + 1,
                columns = (of.width + 2 * of.pad - of.taps) / of.stride + 1;
  const Expr f = constant_int(of.filters), c = constant_int(of.channels), n = constant_int(of.taps),
             h = constant_int(rows), w = constant_int(columns), panel = constant_int(kPanel);
  const auto place = [&](const char* at, const char* tap) {
    const Expr tapped = v(at) * constant_int(of.stride) + v(tap);
    return of.pad == 0 ? tapped : tapped - constant_int(of.pad);
  };
  const auto typed = [&](const std::string& name, Role role, std::vector<Expr> dims) {
    return Tensor{name, role, type, dims, contiguous_strides(dims)};
  };
  Kernel k;
  k.name = "convolution";
  k.tensors = {typed("X", Role::Input, {c, constant_int(of.height), constant_int(of.width)}),
               typed("W", Role::Input,
                     {constant_int(1), constant_int((of.filters + kPanel - 1) / kPanel),
                      constant_int(of.channels * of.taps * of.taps), panel}),
               typed("Y", Role::Output, {f, h, w}), typed("B", Role::Input, {f})};
  const Expr pixel =
      read_of(0, type, {v("c"), place("y", "r"), place("x", "s")}, of.pad == 0 ? nullptr : constant_float(0, type));
  const Expr weight = read_of(1, type,
                              {constant_int(0), apply(ScalarOp::FloorDiv, {v("f"), panel}),
                               (v("c") * n + v("r")) * n + v("s"), apply(ScalarOp::Mod, {v("f"), panel})});
  const Expr sum = reduce(Reducer::Sum, {{"c", c}, {"r", n}, {"s", n}}, nullptr, pixel * weight, type);
  const Expr value = apply(ScalarOp::Max, {sum + read_of(3, type, {v("f")}), constant_float(0, type)});
  k.body = {{2, {v("f"), v("y"), v("x")}, Update::Assign, value, {{"f", f}, {"y", h}, {"x", w}}, ""}};
  return k;
}

Blueprints rows_of(int filters, int vectors) {
  Blueprints out;
  out.rows.resize(2);
  Blueprint &lines = out.rows[0], &others = out.rows[1];
  lines.name = lines.kind = "filter_lines";
  lines.tile_rows = filters, lines.tile_vectors = vectors;
  others.name = others.kind = "contraction_transposed";
  others.tile_rows = 8, others.tile_vectors = 2, others.cache_m = 51200, others.cache_n = 524288;
  return out;
}

LoopNest nest_of(const Kernel& k, std::string_view level, const Blueprints& rows) {
  const auto nest = lower_contraction(std::make_shared<const Kernel>(k), *isa_from_name(level), rows);
  REQUIRE(nest);
  REQUIRE(verify(*nest) == std::vector<std::string>{});
  return *nest;
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
  const int64_t bytes = bytes_of(k.tensors[2].dtype);
  for (int64_t i = 0; i < static_cast<int64_t>(want.tensors[2].bytes.size()) / bytes; ++i)
    most = std::max(most, std::fabs(real_element(want.tensors[2], i) - real_element(got.tensors[2], i)));
  return most;
}

}  // namespace

TEST_CASE("filters along lines: steps, borders, panels and lines of any length") {
  for (const char* level : {"x86-64-v2", "x86-64-v3", "x86-64-v4", "neon"})
    for (const Shape& s : {Shape{16, 3, 20, 64, 3, 2, 1}, Shape{24, 3, 35, 67, 3, 2, 0}, Shape{5, 2, 9, 40, 3, 1, 1},
                           Shape{33, 1, 12, 75, 5, 2, 2}, Shape{40, 3, 9, 36, 3, 1, 1}}) {
      CAPTURE(level, s.filters, s.height, s.width, s.taps, s.stride, s.pad);
      const Kernel k = convolution(s);
      const LoopNest nest = nest_of(k, level, rows_of(6, 2));
      CHECK(nest.blueprint == "filter_lines");
      CHECK(error_of(k, nest) == 0);
      CHECK(any_of(nest.functions, [](const InnerFunction& f) { return f.name.starts_with("filters_6x2"); }) ==
            (s.filters >= 16));
    }
}

TEST_CASE("filters along lines: doubles, tiles of other sizes") {
  const Kernel k = convolution({20, 3, 12, 70, 3, 2, 1}, DType::F64);
  for (const char* level : {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
    for (const int vectors : {1, 2, 3}) CHECK(error_of(k, nest_of(k, level, rows_of(4, vectors))) == 0);
}

TEST_CASE("filters along lines: what keeps to tiles of pixels") {
  const auto follows = [](const Kernel& k, std::string_view level) {
    return nest_of(k, level, rows_of(6, 2)).blueprint;
  };
  CHECK(follows(convolution({24, 3, 20, 30, 3, 2, 1}), "x86-64-v3") == "contraction_transposed");   // lines of 15
  CHECK(follows(convolution({24, 16, 20, 64, 3, 2, 1}), "x86-64-v3") == "contraction_transposed");  // many channels
  CHECK(follows(convolution({24, 3, 40, 64, 5, 2, 2}), "x86-64-v3") == "contraction_transposed");   // sums of 75
  Kernel k = convolution({24, 3, 20, 66, 3, 2, 1});  // lines of 33: the last tile would repeat pixels
  k.tensors.push_back(tensor("R", Role::Input, k.tensors[2].dims));
  k.tensors[2].shared = k.tensors[4].shared = true;
  k.body[0].value = k.body[0].value + at(4, {v("f"), v("y"), v("x")});
  CHECK(follows(k, "x86-64-v3") == "contraction_transposed");
  k.tensors[2].shared = k.tensors[4].shared = false;
  CHECK(follows(k, "x86-64-v3") == "filter_lines");
}

TEST_CASE("filters along lines: an image without a border is read where it is, others in bands") {
  const auto copies = [](const Kernel& k) {
    return count_if(nest_of(k, "x86-64-v3", rows_of(6, 2)).buffers, [](const Buffer& b) { return b.name == "staged"; });
  };
  CHECK(copies(convolution({24, 3, 35, 67, 3, 2, 0})) == 0);
  const Kernel k = convolution({24, 3, 300, 300, 3, 2, 1});
  CHECK(copies(k) == 1);
  for (const Buffer& b : nest_of(k, "x86-64-v3", rows_of(6, 2)).buffers)
    if (b.name == "staged") CHECK(*constant_value(b.elements) < 3 * 20 * 310);
  // whether a line is in the image is asked, whether a channel is in it is known
  const std::string text = to_text(nest_of(k, "x86-64-v3", rows_of(6, 2)));
  CHECK(text.find("ge(add(add(-1, mul(2, first_line)), at_2), 0)") != std::string::npos);
  CHECK(text.find("ge(at, 0)") == std::string::npos);
}

}  // namespace filter_lines_test
