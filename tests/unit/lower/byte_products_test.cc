// Products of bytes: which instructions the tiles are made of, how their rows are found, which side is laid out.
#include <memory>

#include "algebra/contraction.h"
#include "algebra/pair_depth.h"
#include "catch.h"
#include "isa/all_isas.h"
#include "lower/contraction/lower_contraction.h"
#include "lower/contraction/stencil_strip.h"
#include "lower/lower_kernel.h"
#include "nest/run_nest.h"
#include "shipped_library.h"

namespace byte_products_test {

using namespace tenon;

namespace {

Tensor tensor(const char* name, Role role, DType dtype, const std::vector<int64_t>& extents) {
  std::vector<Expr> dims;
  for (const int64_t n : extents) dims.push_back(constant_int(n));
  auto strides = contiguous_strides(dims);
  return {name, role, dtype, std::move(dims), std::move(strides)};
}

/// Y[f, y, x] = Σ over c, r, s of X[c, y + r - edge, x + s - edge] W[f, c, r, s] of bytes, with window × window taps.
Kernel filters(int64_t count, int64_t height, int64_t width, int64_t window, DType pixels = DType::I8) {
  const auto v = [](const char* n) { return var_ref(n); };
  const int64_t edge = window / 2;
  Kernel k;
  k.name = "filters_i8";
  k.tensors = {tensor("X", Role::Input, pixels, {8, height, width}),
               tensor("W", Role::Constant, DType::I8, {count, 8, window, window}),
               tensor("Y", Role::Output, DType::I32, {count, height, width})};
  const Expr pixel = read_of(0, pixels,
                             {v("c"), v("y") + v("r") - constant_int(edge), v("x") + v("s") - constant_int(edge)},
                             constant_int(0, pixels)),
             weight = read_of(1, DType::I8, {v("f"), v("c"), v("r"), v("s")});
  const Expr w = constant_int(window);
  const Expr sum = reduce(Reducer::Sum, {{"c", constant_int(8)}, {"r", w}, {"s", w}}, nullptr,
                          cast_to(pixel, DType::I32) * cast_to(weight, DType::I32), DType::I32);
  k.body = {{2,
             {v("f"), v("y"), v("x")},
             Update::Assign,
             sum,
             {{"f", constant_int(count)}, {"y", constant_int(height)}, {"x", constant_int(width)}},
             ""}};
  return k;
}

/// The same for 16 filters of one channel.
Kernel one_channel(int64_t window) {
  Kernel k = filters(16, 21, 14, window);
  k.tensors[0].dims[0] = k.tensors[1].dims[1] = constant_int(1);
  for (Tensor& t : k.tensors) t.strides = contiguous_strides(t.dims);
  auto& sum = k.body[0].value;
  const auto& r = std::get<Reduce>(sum->node);
  sum = reduce(Reducer::Sum, {{"c", constant_int(1)}, r.vars[1], r.vars[2]}, nullptr, r.value, DType::I32);
  return k;
}

/// Bytes of all values for a tensor.
TensorData bytes_for(const Tensor& t) {
  TensorData data;
  data.dtype = t.dtype;
  for (const Expr& e : t.dims) data.dims.push_back(constant_value(e).value());
  data.bytes.resize(static_cast<size_t>(element_count(data.dims)));
  uint8_t next = 3;
  for (uint8_t& b : data.bytes) b = next = static_cast<uint8_t>(next * 5 + 17);
  return data;
}

/// What a run of the kernel makes of such bytes, or of its nest at a level.
std::vector<uint8_t> sums(Kernel k, const char* level) {
  k.tensors[1].data = std::make_shared<const TensorData>(bytes_for(k.tensors[1]));
  OracleCall call;
  call.tensors = {bytes_for(k.tensors[0]), *k.tensors[1].data, {}};
  call.tensors[2].dtype = DType::I32;
  NestRun run;
  if (level) run = run_nest(lower_kernel(k, tenon_test::shipped_blueprints(), *isa_from_name(level)), call);
  else run.status = run_kernel(k, call);
  CHECK(run.fault == "");
  REQUIRE(run.status == OracleStatus::Done);
  return call.tensors[2].bytes;
}

/// Y[c, y, x] = Σ over r, s of X[c, y + r - 1, x + s - 1] W[c, r, s] of bytes: one filter of 3×3 a channel.
Kernel depthwise(int64_t height, int64_t width) {
  Kernel k = filters(8, height, width, 3);
  k.tensors[1] = tensor("W", Role::Constant, DType::I8, {8, 3, 3});
  const auto v = [](const char* n) { return var_ref(n); };
  const Expr one = constant_int(1), three = constant_int(3);
  const Expr pixel = read_of(0, DType::I8, {v("f"), v("y") + v("r") - one, v("x") + v("s") - one},
                             constant_int(0, DType::I8)),
             weight = read_of(1, DType::I8, {v("f"), v("r"), v("s")});
  k.body[0].value = reduce(Reducer::Sum, {{"r", three}, {"s", three}}, nullptr,
                           cast_to(pixel, DType::I32) * cast_to(weight, DType::I32), DType::I32);
  return k;
}

/// A depthwise convolution as a level computes it.
LoopNest strips(const Kernel& k, std::string_view level) {
  Blueprint b;
  b.name = b.kind = "stencil";
  b.tile_rows = 8, b.rows_in_registers = 4, b.strip_pixels = 6144;
  const auto nest = lower_contraction(std::make_shared<const Kernel>(k), *isa_from_name(level), {{b}});
  REQUIRE(nest);
  REQUIRE(verify(*nest) == std::vector<std::string>{});
  return *nest;
}

/// Elements of its tile.
int64_t depthwise_tile(const Kernel& k, std::string_view level) {
  for (const Buffer& b : strips(k, level).buffers)
    if (b.name == "tile") return constant_value(b.elements).value();
  return 0;
}

/// Stores of single elements to a buffer.
int single_stores(const Block& block, int buffer) {
  int count = 0;
  for (const Stmt& s : block) {
    const auto* store = std::get_if<SStore>(&s.node);
    count += store && store->buffer == buffer && store->value->type.lanes == 1;
    each_block(s, [&](const Block& inner) { count += single_stores(inner, buffer); });
  }
  return count;
}

LoopNest tiles(const Kernel& k, std::string_view level) {
  Blueprint transposed;
  transposed.name = transposed.kind = "contraction_transposed";
  transposed.tile_rows = 16, transposed.tile_vectors = 1, transposed.cache_m = 102400, transposed.cache_n = 1048576;
  const auto nest = lower_contraction(std::make_shared<const Kernel>(k), *isa_from_name(level), {{transposed}});
  REQUIRE(nest);
  REQUIRE(verify(*nest) == std::vector<std::string>{});
  return *nest;
}

/// The name of the tile function, which says what it multiplies and where its rows are.
std::string tile_of(const Kernel& k, std::string_view level) {
  const LoopNest nest = tiles(k, level);
  REQUIRE(nest.functions.size() == 1);
  return nest.functions[0].name;
}

}  // namespace

TEST_CASE("a level with products of bytes takes four at once") {
  CHECK(tile_of(filters(16, 32, 32, 3), "x86-64-v4-vnni") == "tile_16x1_i32_quads_raised_offsets32_line1_transposed");
  CHECK(tile_of(filters(16, 32, 32, 3, DType::U8), "x86-64-v4-vnni") ==
        "tile_16x1_i32_quads_offsets32_line1_transposed");
  CHECK(tile_of(filters(16, 32, 32, 3), "x86-64-v4") == "tile_16x1_i32_pairs_offsets32_line1_transposed");
}

TEST_CASE("a tile of several lines knows its rows, and one across the ends of lines finds them") {
  CHECK(tile_of(filters(16, 8, 8, 3), "x86-64-v4-vnni") ==
        "tile_16x1_i32_quads_raised_offsets32_lines8by1by10_transposed");
  CHECK(tile_of(filters(16, 8, 12, 3), "x86-64-v4-vnni") == "tile_16x1_i32_quads_raised_offsets32_transposed");
}

TEST_CASE("windows over the pixels of one channel are words of bytes") {
  const Kernel k = one_channel(3);
  const auto c = quad_depth(k, *find_contraction(k), LeftBytes::Signed);
  REQUIRE(c);
  CHECK(c->windows);
  CHECK(c->paired == "s");
  CHECK(tile_of(k, "x86-64-v4-vnni") == "tile_16x1_i32_quads_raised_offsets32_transposed");
  CHECK(tile_of(k, "x86-64-v4") == "tile_16x1_i32_pairs_offsets32_transposed");
}

TEST_CASE("sums over overlapping words are those of the definition") {
  for (const int64_t window : {2, 3, 4, 5}) {
    const Kernel k = one_channel(window);
    const std::vector<uint8_t> want = sums(k, nullptr);
    for (const char* level : {"portable", "x86-64-v3", "x86-64-v4", "x86-64-v4-vnni", "neon-dotprod"}) {
      INFO(window << " taps at " << level);
      CHECK((sums(k, level) == want));
    }
  }
}

TEST_CASE("overlapping words of bytes are shuffled from one load") {
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  const Kernel k = depthwise(20, 20);
  const std::string wide = to_text(strips(k, "x86-64-v4-vnni")), half = to_text(strips(k, "x86-64-v3-vnni")),
                    narrow = to_text(strips(k, "neon-dotprod"));
  CHECK(has(wide, "; 0 1 1 1 1 2 2 2 2 3 3 3 3 4 4 4)"));
  CHECK(has(half, "; 0 1 1 1 1 2 2 2)"));
  for (const std::string& text : {wide, half, narrow}) CHECK(has(text, "; 0 1 2 3 1 2 3 4 2 3 4 5 3 4 5 6"));
}

TEST_CASE("taps side by side are one word") {
  const auto counts = [](const std::vector<int64_t>& taps, int most) {
    std::vector<int> out;
    for (const TapGroup& g : tap_groups(taps, most)) out.push_back(g.count);
    return out;
  };
  CHECK(counts({0, 1, 2, 10, 11, 12}, 4) == std::vector{3, 3});
  CHECK(counts({0, 1, 2, 3, 4}, 4) == std::vector{4, 1});
  CHECK(counts({0, 2, 4}, 4) == std::vector{1, 1, 1});
  CHECK(counts({0, 1, 2}, 1) == std::vector{1, 1, 1});
}

TEST_CASE("constant filters of bytes are laid out, not the pixels") {
  const auto transposed = [](const Kernel& k) { return find_contraction(k)->transposed; };
  CHECK(transposed(filters(16, 32, 32, 1)));
  CHECK_FALSE(transposed(filters(8, 32, 32, 1)));
}

TEST_CASE("planes of rows shorter than a vector are one row where parts of vectors have no instruction") {
  CHECK(depthwise_tile(depthwise(25, 5), "x86-64-v3") == 25 * 5 + 8);
  CHECK(depthwise_tile(depthwise(25, 9), "x86-64-v3") == 0);  // vectors are stored as they are summed
}

TEST_CASE("sums of integers are stored before those of the next row begin") {
  const LoopNest nest = strips(depthwise(25, 5), "x86-64-v3");
  REQUIRE(nest.functions.size() == 1);
  std::vector<size_t> stores;
  const Block& body = nest.functions[0].body;
  for (size_t i = 0; i < body.size(); ++i)
    if (std::holds_alternative<SStore>(body[i].node)) stores.push_back(i);
  REQUIRE(stores.size() == 4);
  CHECK(stores[1] - stores[0] > 9);  // nine products
}

TEST_CASE("results of another type than the sums are computed as vectors up to the last") {
  Kernel k = depthwise(25, 5);
  k.tensors[2].dtype = DType::I8;
  k.body[0].value = cast_to(k.body[0].value, DType::I8);
  CHECK(single_stores(strips(k, "x86-64-v3").body, 2) == 0);
}

TEST_CASE("kernels without products of bytes have no level for them") {
  const Isa& vnni = *isa_from_name("x86-64-v4-vnni");
  CHECK(has_level_of_its_own(filters(16, 32, 32, 3), vnni));
  CHECK_FALSE(has_level_of_its_own(filters(1, 32, 32, 3, DType::I16), vnni));
  CHECK(has_level_of_its_own(filters(1, 32, 32, 3, DType::I16), *isa_from_name("x86-64-v4")));
}

}  // namespace byte_products_test
