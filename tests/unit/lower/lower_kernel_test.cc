// Lowering of kernels made by hand: what becomes of their loops, temps and vectors.
#include "lower/lower_kernel.h"

#include <set>

#include "lower/contraction/lower_contraction.h"
#include "unit/lower/hand_made.h"

namespace lower_kernel_test {

using namespace tenon;
using namespace tenon_test;

namespace {

/// softmax over the middle of [P, D, Q]
Kernel softmax() {
  const Expr P = size_ref("P"), D = size_ref("D"), Q = size_ref("Q");
  Kernel k;
  k.name = "softmax_f32";
  k.sizes = {{"P"}, {"D"}, {"Q"}};
  k.tensors = {tensor("X", Role::Input, {P, D, Q}), tensor("Y", Role::Output, {P, D, Q}),
               tensor("m", Role::Temp, {P, Q}), tensor("e", Role::Temp, {P, D, Q}), tensor("z", Role::Temp, {P, Q})};
  const LoopVar p{"p", P}, d{"d", D}, q{"q", Q}, kk{"k", D};
  k.body = {
      {2,
       {v("p"), v("q")},
       Update::Assign,
       reduce(Reducer::Max, {kk}, nullptr, at(0, {v("p"), v("k"), v("q")}), DType::F32),
       {p, q},
       ""},
      {3,
       {v("p"), v("d"), v("q")},
       Update::Assign,
       apply(ScalarOp::Exp, {at(0, {v("p"), v("d"), v("q")}) - at(2, {v("p"), v("q")})}),
       {p, d, q},
       ""},
      {4,
       {v("p"), v("q")},
       Update::Assign,
       reduce(Reducer::Sum, {{"l", D}}, nullptr, at(3, {v("p"), v("l"), v("q")}), DType::F32),
       {p, q},
       ""},
      {1,
       {v("p"), v("d"), v("q")},
       Update::Assign,
       apply(ScalarOp::Div, {at(3, {v("p"), v("d"), v("q")}), at(4, {v("p"), v("q")})}),
       {p, d, q},
       ""},
  };
  return k;
}

/// Y[s] = A[s] + B[s] with run-time strides
Kernel add() {
  const Expr S = size_ref("S");
  Kernel k;
  k.name = "add_f32";
  k.sizes = {{"S"}, {"A_s0"}, {"B_s0"}, {"Y_s0"}};
  for (const char* name : {"A", "B", "Y"})
    k.tensors.push_back(
        {name, name[0] == 'Y' ? Role::Output : Role::Input, DType::F32, {S}, {size_ref(std::string(name) + "_s0")}});
  k.tensors[0].repeats = k.tensors[1].repeats = true;
  k.body = {{2, {v("s")}, Update::Assign, at(0, {v("s")}) + at(1, {v("s")}), {{"s", S}}, ""}};
  return k;
}

Kernel running_sum() {
  const Expr N = size_ref("N");
  Kernel k;
  k.name = "cumsum_f32";
  k.sizes = {{"N"}};
  k.tensors = {tensor("X", Role::Input, {N}), tensor("Y", Role::Output, {N})};
  k.body = {{1,
             {v("i")},
             Update::Assign,
             reduce(Reducer::Sum, {{"k", N}}, apply(ScalarOp::Le, {v("k"), v("i")}), at(0, {v("k")}), DType::F32),
             {{"i", N}},
             ""}};
  return k;
}

/// Y[c, y, x] = max over 5 x 5 of padded X[c, y + r - 2, x + s - 2]
Kernel pool(const Expr& fill) {
  const Expr C = constant_int(6), H = constant_int(9), W = constant_int(20), two = constant_int(2);
  Kernel k;
  k.name = "pool_f32";
  k.tensors = {tensor("X", Role::Input, {C, H, W}), tensor("Y", Role::Output, {C, H, W})};
  const Expr read = read_of(0, DType::F32, {v("c"), v("y") + v("r") - two, v("x") + v("s") - two}, fill);
  const Expr most = reduce(Reducer::Max, {{"r", constant_int(5)}, {"s", constant_int(5)}}, nullptr, read, DType::F32);
  k.body = {{1, {v("c"), v("y"), v("x")}, Update::Assign, most, {{"c", C}, {"y", H}, {"x", W}}, ""}};
  return k;
}

/// Y[m, n] = Σ over k of W[m, k] X[k, n], all extents known
Kernel product(int64_t M, int64_t K, int64_t N) {
  const Expr m = constant_int(M), depth = constant_int(K), n = constant_int(N);
  Kernel k;
  k.name = "product_f32";
  k.tensors = {tensor("W", Role::Input, {m, depth}), tensor("X", Role::Input, {depth, n}),
               tensor("Y", Role::Output, {m, n})};
  const Expr terms = at(0, {v("m"), v("k")}) * at(1, {v("k"), v("n")});
  k.body = {{2,
             {v("m"), v("n")},
             Update::Assign,
             reduce(Reducer::Sum, {{"k", depth}}, nullptr, terms, DType::F32),
             {{"m", m}, {"n", n}},
             ""}};
  return k;
}

/// The same of columns of W: Σ over k of W[k, m] X[k, n]
Kernel product_of_columns(int64_t M, int64_t K, int64_t N) {
  Kernel k = product(M, K, N);
  k.tensors[0] = tensor("W", Role::Input, {constant_int(K), constant_int(M)});
  const auto& sum = std::get<Reduce>(k.body[0].value->node);
  const Expr terms = at(0, {v("k"), v("m")}) * at(1, {v("k"), v("n")});
  k.body[0].value = reduce(Reducer::Sum, sum.vars, nullptr, terms, DType::F32);
  return k;
}

/// The product in tiles of so many rows, of half as many for those left over, by 2 vectors.
LoopNest lowered_product(const Kernel& k, std::string_view level, int tile_rows) {
  Blueprint tiles;
  tiles.name = tiles.kind = "contraction";
  tiles.tile_rows = tile_rows, tiles.tile_vectors = 2, tiles.leftover_rows = tile_rows / 2;
  tiles.cache_m = 102400, tiles.cache_n = 1048576;
  const auto nest = lower_contraction(std::make_shared<const Kernel>(k), *isa_from_name(level), {{tiles}});
  REQUIRE(nest);
  REQUIRE(verify(*nest) == std::vector<std::string>{});
  return *nest;
}
LoopNest lowered_product(int64_t M, int64_t K, int64_t N, std::string_view level = "x86-64-v4", int tile_rows = 8) {
  return lowered_product(product(M, K, N), level, tile_rows);
}

int64_t workspace_of_product(int64_t M, int64_t K, int64_t N) {
  int64_t elements = 0;
  for (const Buffer& b : lowered_product(M, K, N).buffers)
    if (b.storage == Storage::Workspace) elements += constant_value(b.elements).value();
  return elements;
}

/// Y[i, e] = Σ over j of relu(Σ over d of X[i, d] W[d, j]) U[j, e]
Kernel two_products(int64_t rows) {
  const Expr L = constant_int(rows), D = constant_int(16), S = constant_int(512), E = constant_int(32);
  Kernel k;
  k.name = "two_products_f32";
  k.tensors = {tensor("X", Role::Input, {L, D}),  tensor("W", Role::Input, {D, S}), tensor("U", Role::Input, {S, E}),
               tensor("Y", Role::Output, {L, E}), tensor("s", Role::Temp, {L, S}),  tensor("p", Role::Temp, {L, S})};
  const auto sum = [](const LoopVar& over, const Expr& e) {
    return reduce(Reducer::Sum, {over}, nullptr, e, DType::F32);
  };
  const LoopVar i{"i", L}, j{"j", S}, e{"e", E};
  const Expr relu = apply(ScalarOp::Max, {at(4, {v("i"), v("j")}), constant_float(0, DType::F32)});
  k.body = {{4,
             {v("i"), v("j")},
             Update::Assign,
             sum({"d", D}, at(0, {v("i"), v("d")}) * at(1, {v("d"), v("j")})),
             {i, j},
             ""},
            {5, {v("i"), v("j")}, Update::Assign, apply(ScalarOp::Exp, {relu}), {i, j}, ""},
            {3,
             {v("i"), v("e")},
             Update::Assign,
             sum({"t", S}, at(5, {v("i"), v("t")}) * at(2, {v("t"), v("e")})),
             {i, e},
             ""}};
  return k;
}

LoopNest lowered_chain(const Kernel& k, std::string_view level) {
  Blueprints rows;
  rows.rows.resize(2);
  Blueprint& tiles = rows.rows[0];
  tiles.name = tiles.kind = "contraction";
  tiles.tile_rows = 8, tiles.tile_vectors = 2, tiles.leftover_rows = 4, tiles.cache_m = 102400, tiles.cache_n = 1048576;
  Blueprint& chain = rows.rows[1];
  chain.name = chain.kind = "row_chain";
  chain.least_rows = 4, chain.row_multiple = 8, chain.cache_m = 16384;
  LoopNest nest = lower_kernel(k, rows, *isa_from_name(level));
  REQUIRE(verify(nest) == std::vector<std::string>{});
  return nest;
}

Blueprint strips_of(int rows) {
  Blueprint strips;
  strips.name = strips.kind = "stencil";
  strips.tile_rows = rows, strips.tile_vectors = 1;
  return strips;
}

LoopNest nest_of_strips(const Kernel& k, std::string_view level = "x86-64-v4") {
  const auto nest = lower_contraction(std::make_shared<const Kernel>(k), *isa_from_name(level), {{strips_of(8)}});
  REQUIRE(nest);
  REQUIRE(verify(*nest) == std::vector<std::string>{});
  return *nest;
}

/// A depthwise convolution of a copy: strips in place have zeros around the image.
Kernel copied(int64_t height, int64_t width) { return depthwise(height, width, 3, 1); }

/// The name of the strip function of copied(), which says how many vectors one call makes; empty where the
/// strips are in the nest.
std::string strip_of(int64_t height, int64_t width) {
  const LoopNest nest = nest_of_strips(copied(height, width));
  REQUIRE(nest.functions.size() <= 1);
  return nest.functions.empty() ? "" : nest.functions[0].name;
}

/// Y[f, y, x] = Σ over c, r, s of X[c, y + r - 1, x + s - 1] W[f, c, r, s] over channels of edge×edge, 0 around the
/// plane
Kernel filters(int64_t count, int64_t edge, int64_t channels) {
  const Expr f = constant_int(count), side = constant_int(edge), depth = constant_int(channels),
             three = constant_int(3), one = constant_int(1);
  Kernel k;
  k.name = "filters_f32";
  k.tensors = {tensor("X", Role::Input, {depth, side, side}), tensor("W", Role::Constant, {f, depth, three, three}),
               tensor("Y", Role::Output, {f, side, side})};
  const Expr pixel =
      read_of(0, DType::F32, {v("c"), v("y") + v("r") - one, v("x") + v("s") - one}, constant_float(0, DType::F32));
  const Expr terms = pixel * at(1, {v("f"), v("c"), v("r"), v("s")});
  const Expr sum = reduce(Reducer::Sum, {{"c", depth}, {"r", three}, {"s", three}}, nullptr, terms, DType::F32);
  k.body = {{2, {v("f"), v("y"), v("x")}, Update::Assign, sum, {{"f", f}, {"y", side}, {"x", side}}, ""}};
  return k;
}

/// filters() where there is a blueprint for few columns.
LoopNest lowered_filters(int64_t count, int64_t edge = 30, int64_t channels = 3) {
  Blueprints rows;
  rows.rows.resize(2);
  for (Blueprint& b : rows.rows) b.cache_m = 102400, b.cache_n = 1048576;
  rows.rows[0].name = rows.rows[0].kind = "contraction_transposed";
  rows.rows[0].tile_rows = 8, rows.rows[0].tile_vectors = 2;
  rows.rows[1].name = rows.rows[1].kind = "contraction_transposed_narrow";
  rows.rows[1].tile_rows = 16, rows.rows[1].tile_vectors = 1;
  const auto nest = lower_contraction(std::make_shared<const Kernel>(filters(count, edge, channels)),
                                      *isa_from_name("x86-64-v4"), rows);
  REQUIRE(nest);
  REQUIRE(verify(*nest) == std::vector<std::string>{});
  return *nest;
}

}  // namespace

TEST_CASE("softmax needs no workspace for its exponentials") {
  for (const char* level : {"portable", "x86-64-v3", "x86-64-v4"}) {
    const LoopNest nest = lowered(softmax(), level);
    for (const Buffer& b : nest.buffers)
      if (b.name == "e") CHECK(constant_value(b.elements) == 0);
  }
}

TEST_CASE("an exponent less the maximum of its row is not above 0; less anything else it may be") {
  Kernel k = softmax();
  CHECK(count(to_text(lowered(k, "portable")), " exp(") == 0);
  CHECK(count(to_text(lowered(k, "portable")), "exp_bounded(") > 0);
  const Expr p = v("p"), kk = v("k"), q = v("q");
  const auto maximum = [&](Reducer op, Expr value) {
    k.body[0].value = reduce(op, {{"k", size_ref("D")}}, nullptr, std::move(value), DType::F32);
  };
  maximum(Reducer::Min, at(0, {p, kk, q}));
  CHECK(count(to_text(lowered(k, "portable")), "exp_bounded(") == 0);
  maximum(Reducer::Max, apply(ScalarOp::Neg, {at(0, {p, kk, q})}));
  CHECK(count(to_text(lowered(k, "portable")), "exp_bounded(") == 0);
  k.body[0].value =
      reduce(Reducer::Max, {{"k", size_ref("D") - constant_int(1)}}, nullptr, at(0, {p, kk, q}), DType::F32);
  CHECK(count(to_text(lowered(k, "portable")), "exp_bounded(") == 0);
}

TEST_CASE("an exponent that is cut off at 40 takes the function of fewer steps, one cut off further up does not") {
  Kernel k = softmax();
  const Expr x = at(0, {v("p"), v("d"), v("q")});
  const auto is_shorter = [&](double most, const Expr& compared) {
    const Expr limit = constant_float(most, DType::F32);
    k.body[1].value = apply(ScalarOp::Exp, {select(apply(ScalarOp::Gt, {compared, limit}), limit, x)});
    return count(to_text(lowered(k, "portable")), "exp_bounded(") > 0;
  };
  CHECK(is_shorter(40, x));
  CHECK_FALSE(is_shorter(41, x));
  CHECK_FALSE(is_shorter(40, apply(ScalarOp::Neg, {x})));
}

TEST_CASE("an exponent is not above 0 by its form unless it is divided by what may be a zero of either sign") {
  Kernel k = softmax();
  const Expr x = at(0, {v("p"), v("d"), v("q")});
  const auto is_shorter = [&](Expr exponent) {
    k.body[1].value = apply(ScalarOp::Exp, {apply(ScalarOp::Neg, {std::move(exponent)})});
    return count(to_text(lowered(k, "portable")), "exp_bounded(") > 0;
  };
  const Expr root = apply(ScalarOp::Sqrt, {x});  // that of -0 is -0
  CHECK(is_shorter(root));
  CHECK(is_shorter(apply(ScalarOp::Div, {root, constant_float(2, DType::F32)})));
  CHECK_FALSE(is_shorter(apply(ScalarOp::Div, {constant_float(1, DType::F32), root})));
  CHECK_FALSE(is_shorter(apply(ScalarOp::Div, {root, constant_float(0, DType::F32)})));
}

TEST_CASE("a last extent of 1 has its own code, with vectors over the row") {
  const std::string text = to_text(lowered(softmax(), "x86-64-v4"));
  CHECK(count(text, "Q") > 0);
  CHECK(count(text, "f32x16") > 0);
}

TEST_CASE("run-time strides of 1 and 0 are told apart from the others") {
  const LoopNest nest = lowered(add(), "x86-64-v4");
  REQUIRE(nest.body.size() == 1);
  const auto* unit = std::get_if<SIf>(&nest.body[0].node);
  REQUIRE(unit);
  REQUIRE(unit->otherwise);
  CHECK(std::get_if<SIf>(&unit->otherwise->front().node) != nullptr);
}

TEST_CASE("strides of 0 are looked for where a call may repeat an operand, alone and in pairs") {
  const auto bodies = [](Kernel k) { return count(to_text(lowered(k, "x86-64-v4")), "if ") + 1; };
  Kernel two = add();
  CHECK(bodies(two) == 5);  // dense, A, B, both, anything else
  two.tensors[0].repeats = false;
  CHECK(bodies(two) == 3);
  two.body[0].value = two.body[0].value + at(0, {v("s")});
  CHECK(bodies(two) == 3);
  Kernel three = add();
  three.sizes.push_back({"C_s0"});
  three.tensors.push_back({"C", Role::Input, DType::F32, {size_ref("S")}, {size_ref("C_s0")}});
  three.body[0].value = three.body[0].value + at(3, {v("s")});
  CHECK(bodies(three) == 5);
}

TEST_CASE("tiles of one height are written once, and clamp their rows only where rows are left over") {
  const std::string even = to_text(lowered_filters(16, 32)), odd = to_text(lowered_filters(16, 30));
  for (const std::string& text : {even, odd}) CHECK(count(text, "call f0") == 1);
  CHECK(count(even, "min(row, ") == 0);
  CHECK(count(odd, "min(row, ") > 0);
}

TEST_CASE("where the number of rows is known, no row is multiplied in vain") {
  const auto heights = [](int64_t rows) {
    std::set<std::string> names;
    for (const InnerFunction& f : lowered_product(rows, 64, 96).functions)
      names.insert(f.name.substr(0, f.name.find('x')));
    return names;
  };
  CHECK(heights(1) == std::set<std::string>{"tile_1"});
  CHECK(heights(6) == std::set<std::string>{"tile_6"});
  CHECK(heights(10) == std::set<std::string>{"tile_5"});
  CHECK(heights(16) == std::set<std::string>{"tile_8"});
}

TEST_CASE("a tile's name tells all that it does") {
  std::map<std::string, std::string> known;
  for (const LoopNest& nest : {lowered_filters(16), lowered_filters(64), lowered_filters(40, 32, 5)})
    for (const InnerFunction& f : nest.functions) {
      CHECK(f.common);
      LoopNest alone;
      alone.functions = {f};
      CHECK(known.try_emplace(f.name, to_text(alone)).first->second == to_text(alone));
    }
  CHECK(known.count("tile_8x2_f32_offsets32_transposed") == 1);
}

TEST_CASE("the portable level has no vectors") { CHECK(count(to_text(lowered(add(), "portable")), "f32x") == 0); }

TEST_CASE("the right side of a product is copied as far as it reads badly in place") {
  CHECK(workspace_of_product(40, 16, 19200) == 0);         // lines of 16 rows, four to a set of the cache
  CHECK(workspace_of_product(40, 16, 25600) == 16 * 128);  // all 16 in the same set: four panels at a time
  CHECK(workspace_of_product(32, 16, 1000) == 16 * 32);    // the last panel is not whole
  CHECK(workspace_of_product(32, 16, 25600) == 16 * 128);  // the same, though read four times only
  CHECK(workspace_of_product(32, 16, 19200) == 0);
}

TEST_CASE("copied columns have memory for all rows of a block, also where the depth is taken in parts") {
  constexpr int64_t kDepth = 65536;
  const auto rows_copied = [](int64_t columns) {
    const LoopNest nest = lowered_product(product_of_columns(4096, kDepth, columns), "x86-64-v4", 8);
    const auto copy = std::find_if(nest.buffers.begin(), nest.buffers.end(),
                                   [](const Buffer& b) { return b.name.starts_with("rows_copied"); });
    REQUIRE(copy != nest.buffers.end());
    const bool in_parts = to_text(nest).find("part_depth") != std::string::npos;
    return std::pair(in_parts, constant_value(copy->elements).value() / kDepth);
  };
  CHECK(rows_copied(16) == std::pair(false, int64_t{8}));   // one strip of rows with the whole depth
  CHECK(rows_copied(128) == std::pair(true, int64_t{48}));  // 102400 elements are 50 rows of 2048
}

TEST_CASE("products of the same rows need memory for a block of rows alone") {
  for (const char* level : {"portable", "x86-64-v3", "x86-64-v4"}) {
    const LoopNest nest = lowered_chain(two_products(100000), level);
    CHECK(nest.blueprint == "row_chain");
    for (const Buffer& b : nest.buffers)
      if (b.storage == Storage::Workspace) CHECK(constant_value(b.elements).value() <= 16 * 528);
  }
}

TEST_CASE("columns of one vector, read in lines of the depth, are transposed into panels of that vector") {
  const Expr n = constant_int(3), k = constant_int(9), m = constant_int(16), x = constant_int(32);
  Kernel sums;
  sums.name = "sums";
  sums.tensors = {tensor("A", Role::Input, {n, k, x}), tensor("B", Role::Input, {n, m, x}),
                  tensor("Y", Role::Output, {k, m})};
  const Expr product = at(0, {v("n"), v("k"), v("x")}) * at(1, {v("n"), v("m"), v("x")});
  sums.body = {{2,
                {v("k"), v("m")},
                Update::Assign,
                reduce(Reducer::Sum, {{"n", n}, {"x", x}}, nullptr, product, DType::F32),
                {{"k", k}, {"m", m}},
                ""}};
  const LoopNest nest = lowered_chain(sums, "x86-64-v4");
  CHECK(nest.blueprint == "contraction");
  CHECK(to_text(nest).find("transpose_square") != std::string::npos);
  const auto packed =
      std::find_if(nest.buffers.begin(), nest.buffers.end(), [](const Buffer& b) { return b.name == "packed"; });
  REQUIRE(packed != nest.buffers.end());
  CHECK(constant_value(packed->elements) == 3 * 32 * 16);
}

TEST_CASE("few rows do not pay for panels") { CHECK(lowered_chain(two_products(3), "x86-64-v4").blueprint == "loops"); }

TEST_CASE("the vectors of a stencil run over the whole plane where its rows are short") {
  CHECK(strip_of(6, 6) == "planes_2x3");  // 5 lines of 8 and 6 pixels, of two planes
  CHECK(strip_of(25, 5) == "strip_11");   // 24 lines of 7 and 5 pixels
  CHECK(strip_of(12, 12) == "");          // as many vectors along the rows
  CHECK(strip_of(80, 5) == "");           // more vectors than registers
  CHECK(strip_of(2, 2) == "planes_4x1");  // all 4 channels
  CHECK(strip_of(7, 9) == "planes_2x5");  // more sums than a strip has rows
}

TEST_CASE("few filters of the same pixels share their copy") {
  const LoopNest nest = nest_of_strips(filters(3, 30, 4));
  CHECK(nest.blueprint == "stencil");
  const std::string text = to_text(nest);
  CHECK(text.find("for f = 0 .. 3") != std::string::npos);
  CHECK(text.rfind("b3[") < text.find("for f = 0 .. 3"));  // nothing is copied for each filter
  Blueprint tiles = strips_of(8);
  tiles.name = tiles.kind = "contraction_transposed";
  tiles.cache_m = tiles.cache_n = 8192;
  const auto scalar =
      lower_contraction(std::make_shared<const Kernel>(filters(3, 30, 4)), *isa_from_name("portable"), {{tiles}});
  REQUIRE(scalar);  // without vectors, filters are the columns of tiles
  CHECK(scalar->blueprint == "contraction_transposed");
}

TEST_CASE("strips along the rows are stored from the registers that they are summed in") {
  const auto stores = [](const LoopNest& nest, const std::string& active) { return count(to_text(nest), active); };
  const LoopNest twelve = nest_of_strips(copied(12, 12)), forty = nest_of_strips(copied(16, 40));
  CHECK(stores(twelve, "active active] = ") == 6);  // two strips of 6 rows, of a part of a vector
  CHECK(stores(forty, "active active] = ") == 0);   // the last vector of a line repeats columns
  CHECK(count(to_text(forty), "let first_column") == 1);
  for (const LoopNest* nest : {&twelve, &forty})
    for (const Buffer& b : nest->buffers) CHECK(b.storage != Storage::Stack);
  // an expression of many operations stands once, in a loop over the rows of a tile
  Kernel k = copied(16, 40);
  for (int i = 0; i < 4; ++i)
    k.body[0].value =
        k.body[0].value * at(1, {v("c"), constant_int(0), constant_int(0)}) + at(0, {v("c"), v("y"), v("x")});
  CHECK(nest_of_strips(k).functions.size() == 1);
}

TEST_CASE("filters of 5x5 keep all taps in registers, with strips of fewer rows") {
  const std::string text = to_text(nest_of_strips(depthwise(16, 40, 5, 1)));
  CHECK(count(text, "let w24: ") == 1);
  CHECK(count(text, "var c3: ") == 1);
  CHECK(count(text, "var c4: ") == 0);
  // lines shorter than a vector: all of the plane at a time
  CHECK(count(to_text(nest_of_strips(depthwise(7, 7, 5, 1))), "w24") == 0);
}

TEST_CASE("lines of a stencil's copy begin with whole vectors of padding") {
  const auto elements = [](const Kernel& k, std::string_view level) {
    return constant_value(nest_of_strips(k, level).buffers.at(3).elements);
  };
  CHECK(elements(copied(16, 40), "x86-64-v4") == 18 * 64 + 2 * 16);  // 16 + 40 + 1 in whole vectors
  CHECK(elements(copied(16, 24), "x86-64-v4") == 18 * 26 + 2 * 16);  // lines of less than two vectors do not
}

TEST_CASE("planes of short rows are copied side by side, around a border that is filled once") {
  const auto nest =
      lower_contraction(std::make_shared<const Kernel>(copied(2, 2)), *isa_from_name("x86-64-v4"), {{strips_of(8)}});
  REQUIRE(nest);
  const Buffer& staged = nest->buffers.at(3);
  CHECK(staged.name == "staged");
  CHECK(constant_value(staged.elements) == 4 * 4 * 4 + 2 * 16);  // planes of 4x4, and what vectors read behind the last
  CHECK(nest->body.size() == 2);                                 // the border by whole vectors; the loop over planes
}

TEST_CASE("strips repeat rows only where the output replaces nothing that they read") {
  for (const bool in_place : {false, true})
    for (const int64_t height : {13, 14}) {  // two strips of 7 rows
      Kernel k = depthwise_3x3(height, 32);
      k.tensors.push_back(tensor("R", Role::Input, k.tensors[2].dims));
      k.tensors[2].shared = k.tensors[3].shared = in_place;
      k.body[0].value = k.body[0].value + at(3, {v("c"), v("y"), v("x")});
      const auto nest =
          lower_contraction(std::make_shared<const Kernel>(k), *isa_from_name("x86-64-v4"), {{strips_of(8)}});
      REQUIRE(nest);
      CHECK((count(to_text(*nest), "let first_row") > 0) == (!in_place || height == 14));
    }
}

TEST_CASE("filters of one vector have tiles of their own") {
  CHECK(lowered_filters(8).blueprint == "contraction_transposed_narrow");
  CHECK(lowered_filters(16).blueprint == "contraction_transposed_narrow");
  CHECK(lowered_filters(17).blueprint == "contraction_transposed");
}

TEST_CASE("rows that 6 does not divide but 4 does are tiles of 4 rows and 3 vectors, where columns are many") {
  const auto tile = [](int64_t rows, int64_t columns) {
    return lowered_product(rows, 64, columns, "x86-64-v3", 6).functions.at(0).name;
  };
  CHECK(count(tile(32, 400), "tile_4x3") == 1);
  CHECK(count(tile(36, 400), "tile_6x2") == 1);  // no rows are left over
  CHECK(count(tile(34, 400), "tile_6x2") == 1);  // rows are left over from both
  CHECK(count(tile(24, 60), "tile_6x2") == 1);
  CHECK(count(tile(25, 60), "tile_5x2") == 1);
  CHECK(count(tile(100, 60), "tile_6x2") == 1);  // the rest is little
}

TEST_CASE("tiles of many rows or few steps are told how far apart their rows are") {
  const auto tile = [](int64_t count, int64_t edge, int64_t channels) {
    return lowered_filters(count, edge, channels).functions.at(0).name;
  };
  CHECK(count(tile(16, 32, 8), "line") == 1);  // 16 rows: more than there are pointers for; a line is two tiles
  CHECK(count(tile(16, 20, 8), "line") == 0);  // tiles begin anywhere in a line
  CHECK(count(tile(24, 24, 3), "line") == 1);  // 27 steps
  CHECK(count(tile(24, 24, 8), "line") == 0);  // 72 steps with 8 rows
}

TEST_CASE("filters of few steps whose planes fall on each other in the caches write whole lines") {
  CHECK(lowered_filters(32, 32).blueprint == "contraction_transposed_narrow");
  CHECK(lowered_filters(32, 32, 5).blueprint == "contraction_transposed_narrow");
  CHECK(lowered_filters(32, 32, 6).blueprint == "contraction_transposed");  // 54 steps
  CHECK(lowered_filters(32, 30).blueprint == "contraction_transposed");     // planes of 3600 bytes
}

TEST_CASE("a padded window is found by columns and then along a line of each worker") {
  const LoopNest nest = lowered(pool(constant_float(-1, DType::F32)), "x86-64-v4");
  const std::string text = to_text(nest);
  CHECK(count(text, "Y_lines: workspace f32 x ") == 1);  // for a block of rows
  CHECK(count(text, "parallel for c") == 1);
  CHECK(count(text, "for s = 0 .. 5") == 2);  // whole vectors, and the part of one
  CHECK(count(to_text(lowered(pool(constant_float(-1, DType::F32)), "portable")), "Y_line: workspace f32 x 24 ") == 1);
  CHECK(count(to_text(lowered(pool(nullptr), "x86-64-v4")), "Y_line") == 0);
}

TEST_CASE("the last vector of a line of a temp is stored whole where a part of one takes several stores") {
  const auto text = [](const char* isa) { return to_text(lowered(pool(constant_float(-1, DType::F32)), isa)); };
  CHECK(count(text("x86-64-v3"), "Y_lines: workspace f32 x 152 ") == 1);  // 5 lines of 24, and room for four vectors
  CHECK(count(text("x86-64-v3"), "] = Y_line") == 3);                     // 20 elements: two vectors, and a whole one
  CHECK(count(text("x86-64-v3"), "active 4] = Y_line") == 0);
  CHECK(count(text("x86-64-v4"), "Y_lines: workspace f32 x 120 ") == 1);
}

TEST_CASE("a running sum is one loop") {
  const LoopNest nest = lowered(running_sum(), "portable");
  CHECK(count(to_text(nest), "for ") == 1);
}

TEST_CASE("levels with vectors gain where neighbours are touched") {
  const Isa& v4 = *isa_from_name("x86-64-v4");
  CHECK(gains(softmax(), v4));
  CHECK(gains(add(), v4));
  CHECK(!gains(running_sum(), v4));
  CHECK(!gains(add(), *isa_from_name("portable")));
}

TEST_CASE("lowering is a function of its arguments") {
  CHECK(to_text(lowered(softmax(), "x86-64-v3")) == to_text(lowered(softmax(), "x86-64-v3")));
}

}  // namespace lower_kernel_test
