// Bodies that library kernels choose among at run time: vectors go along what is contiguous for the strides of the
// call.
#include <algorithm>

#include "catch.h"
#include "isa/all_isas.h"
#include "library/expand_library.h"
#include "lower/lower_kernel.h"
#include "opdef/read_ops.h"
#include "schedule/read_blueprints.h"
#include "shipped_library.h"

namespace library_bodies_test {

using namespace tenon;

namespace {

/// The nest of the op's kernel of a type; without a level, with 512-bit vectors.
std::string nest_of(const std::string& op, std::string_view level = "x86-64-v4", DType type = DType::F32) {
  const auto library = expand_library(tenon_test::shipped_ops(), {{op}, {type}});
  REQUIRE(library);
  const Isa& isa = *isa_from_name(level);
  return to_text(*lower_levels(library->ops[0].kernels[0].kernel, tenon_test::shipped_blueprints(), {&isa})[0]);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// The lines that declare workspace.
std::string workspaces_of(const std::string& nest) {
  std::string out;
  for (size_t at = 0; at < nest.size();) {
    const size_t end = std::min(nest.find('\n', at), nest.size());
    const std::string line = nest.substr(at, end - at);
    if (contains(line, ": workspace ")) out += line + "\n";
    at = end + 1;
  }
  return out;
}

}  // namespace

TEST_CASE("library bodies: a reduction along the last axis has vectors along the row, folded once") {
  for (const char* op : {"sum", "max", "mean", "norm_l2"}) {
    const std::string nest = nest_of(op);
    INFO(nest);
    CHECK(contains(nest, "if eq(Q, 1)"));
    CHECK(contains(nest, " .. r_groups step"));
    CHECK(contains(nest, "fold_"));
    CHECK_FALSE(contains(nest, "K"));  // what keepdims keeps has extents of 1: it is not a loop
  }
}

TEST_CASE("library bodies: fma without vectors has a body at levels that round it once") {
  const auto body_at_v3 = [](const std::string& step) {
    const auto file = std::make_shared<const SourceFile>("fma.yaml",
                                                         "ops:\n  - op: f\n    in: {X: \"f32[N]\"}\n    out: {Y: "
                                                         "\"f32[]\"}\n    body: |\n      Y[] = fold[n](a = 0.5, " +
                                                             step + ")\n");
    const auto library = expand_library(*read_ops({}, {file}, {}), {{"f"}, {DType::F32}});
    REQUIRE(library);
    const auto nests =
        lower_levels(library->ops[0].kernels[0].kernel, Blueprints{},
                     {isa_from_name("portable"), isa_from_name("x86-64-v2"), isa_from_name("x86-64-v3")});
    CHECK(nests[0].has_value());
    CHECK_FALSE(nests[1].has_value());
    return nests[2].has_value();
  };
  CHECK(body_at_v3("fma(a, X[n], 1)"));
  CHECK_FALSE(body_at_v3("a*X[n] + 1"));
}

TEST_CASE("library bodies: either operand may be one value for a whole row, and rows are a loop") {
  const std::string nest = nest_of("sub");
  INFO(nest);
  CHECK(contains(nest, "if and(eq(A_s1, 1), eq(B_s1, 1))"));
  CHECK(contains(nest, "if and(eq(A_s1, 0), eq(B_s1, 1))"));
  CHECK(contains(nest, "if and(eq(A_s1, 1), eq(B_s1, 0))"));
  CHECK(count_of(nest, "for s_0 = 0 .. S_outer step 1") == 4);
}

TEST_CASE("library bodies: where elements are counted, the call goes over rows and says where each begins") {
  CHECK(contains(nest_of("dropout"), "S_base"));
  CHECK_FALSE(contains(nest_of("dropout"), "S_outer"));
}

TEST_CASE(
    "library bodies: a permuted copy goes through transposed tiles where its source is dense along the outer dim") {
  const std::string nest = nest_of("transpose");
  INFO(nest);
  CHECK(contains(nest, "if eq(X_s0, 1)"));
  CHECK(contains(nest, "for s_1 = 0 .. O step 16"));
}

TEST_CASE("library bodies: copies along the last axis move whole vectors, reversed ones too") {
  const std::string joined = nest_of("concat"), flipped = nest_of("flip");
  INFO(joined << flipped);
  CHECK_FALSE(contains(joined, "eq(Q, 1)"));  // what an operand has in a row is one run, whatever its last extent
  CHECK(contains(joined, "for q = 0 .. q_groups step"));
  CHECK(contains(flipped, "shuffle(run, run; 15 14 13"));
}

TEST_CASE("library bodies: short rows of softmax and argmax are lanes, a block at a time") {
  const std::string nest = nest_of("softmax", "x86-64-v3");
  INFO(nest);
  CHECK(contains(nest, "if and(lt(D, 16), ge(P, 32))"));
  CHECK(contains(nest, "for p = 0 .. 32 step 16"));
  CHECK(contains(workspaces_of(nest), "X_lanes: workspace f32 x 480"));
  CHECK_FALSE(contains(nest_of("softmax", "x86-64-v3", DType::F16), "X_lanes"));
  CHECK(contains(nest, "parallel for p_block"));                                    // each block has rows of its own
  CHECK(contains(nest_of("argmax", "x86-64-v3"), "if and(lt(D, 32), ge(P, 32))"));  // folding positions takes long
}

TEST_CASE("library bodies: quotients of 32-bit integers are the lowest bits of floats") {
  const std::string nest = nest_of("floor_div", "x86-64-v3", DType::I32);
  INFO(nest);
  CHECK(contains(nest, "cast:i32x4(bits:u64x4(add(floor("));
}

TEST_CASE("library bodies: softmax goes over long columns by blocks of rows, and needs memory for sums alone") {
  const std::string nest = nest_of("softmax", "x86-64-v3");
  INFO(nest);
  CHECK(contains(nest, "many rows and columns"));
  CHECK(contains(workspaces_of(nest), "e: workspace f32 x 0 "));  // exponentials are in the output
  CHECK(contains(workspaces_of(nest), "z_rows: "));
}

TEST_CASE("library bodies: a block of random words is computed once for all elements that share it") {
  for (const char* op : {"rand", "randn", "bernoulli", "dropout", "kaiming_normal", "xavier_uniform"})
    for (const char* level : {"portable", "x86-64-v2", "x86-64-v3", "x86-64-v4", "neon"}) {
      const std::string nest = nest_of(op, level);
      INFO(nest);
      CHECK(count_of(nest, "= philox:u32x") > 0);
      CHECK(count_of(nest, "= philox:u32x") == count_of(nest, "philox:"));  // all words of blocks are stored
    }
}

TEST_CASE("library bodies: what the elements of a row have in common is computed once, before its loop") {
  for (const char* level : {"x86-64-v2", "x86-64-v4", "neon"}) {
    const std::string nest = nest_of("batch_norm", level);
    INFO(nest);
    CHECK(count_of(nest, "sqrt(") == 1);
    CHECK(nest.find("sqrt(") < nest.find("for s = "));
  }
  const std::string rows = nest_of("add");  // a row of no elements has none to read: A may be empty
  INFO(rows);
  CHECK(rows.find("let a: f32") > rows.find("for s_1 = 0"));
}

TEST_CASE("library bodies: as many random words as elements are computed in a pass") {
  const auto check = [](const char* level, int elements, int words) {
    for (const char* op : {"rand", "randn"}) {
      const std::string nest = nest_of(op, level);
      INFO(nest);
      CHECK(contains(nest, "step " + std::to_string(elements)));
      // in the pass, behind it where that begins inside of a block, and for the rest
      CHECK(count_of(nest, "= philox:u32x" + std::to_string(words)) == elements / words + 2);
    }
  };
  check("portable", 4, 4);
  check("x86-64-v2", 8, 8);
  check("x86-64-v3", 16, 16);
}

TEST_CASE("library bodies: random integers share blocks though their products have no vectors") {
  for (const char* level : {"portable", "x86-64-v3"}) {
    const std::string nest = nest_of("randint", level, DType::I32);
    INFO(nest);
    CHECK(contains(nest, "step 4"));
    CHECK(count_of(nest, "= philox:") == count_of(nest, "philox:"));
  }
}

TEST_CASE("library bodies: short sums of a product are stored along the rows of the result") {
  const std::string nest = nest_of("gemm", "x86-64-v3");
  INFO(nest);
  CHECK(contains(nest, "let rows_cached: i64 = select(and(and(le(depth, 32), ge(columns, 128)), "));
}

TEST_CASE("library bodies: what is stored narrower than it is compared fills a register, where the level packs") {
  const auto bytes = [](const char* level, DType type) {
    const std::string nest = nest_of("equal", level, type);
    INFO(nest);
    CHECK(contains(nest, ".. s_1_groups step 32") == (level == std::string("x86-64-v3")));
    return count_of(nest, "shuffle(");
  };
  CHECK(bytes("x86-64-v3", DType::F32) > 0);
  CHECK(bytes("x86-64-v3", DType::F64) > bytes("x86-64-v3", DType::F32));
  for (const char* level : {"x86-64-v2", "x86-64-v4", "neon"}) CHECK(bytes(level, DType::F64) == 0);
}

TEST_CASE("library bodies: what depends on an element's parity has lanes as narrow as the elements") {
  const std::string nest = nest_of("randn", "x86-64-v3");
  INFO(nest);
  CHECK(contains(nest, "i32x8"));
  CHECK_FALSE(contains(nest, "i64x"));
}

TEST_CASE("library bodies: what depends on whether an index is below a bound has lanes as narrow as the elements") {
  for (const char* level : {"x86-64-v2", "x86-64-v3", "neon"}) {
    const std::string nest = nest_of("attention", level);
    INFO(nest);
    CHECK_FALSE(contains(nest, "i64x"));
    CHECK(contains(nest, level == std::string("x86-64-v3") ? "-inf:f32x8" : "-inf:f32x4"));
  }
}

TEST_CASE("library bodies: a sort keeps 16 bytes an element, whatever its type, and with vectors some short rows") {
  for (const DType type : {DType::F32, DType::F64, DType::I8}) {
    const std::string nest = nest_of("sort", "x86-64-v3", type);
    INFO(nest);
    CHECK(count_of(nest, ": workspace ") == 4);
    CHECK(contains(nest, "columns: workspace"));
    CHECK(contains(nest, "lanes: workspace u32 x mul(8, add(min(add(D, 7), 4096), 16))"));
    CHECK(contains(nest_of("sort", "portable", type), "lanes: workspace u32 x 1 "));
    CHECK(contains(nest, "items: workspace u64 x add(mul(2, D), 8)"));
    CHECK(contains(nest, "counts: workspace u32 x min(add(D, 1024), 8192)"));
  }
}

TEST_CASE("library bodies: complex products are one product of real matrices, but for a single column") {
  for (const char* op : {"gemm", "matmul", "conv2d"}) {
    const std::string nest = nest_of(op, "x86-64-v4", DType::C64);
    INFO(nest);
    for (const char* temp : {"left", "right", "parts"})
      CHECK(contains(nest, temp + std::string(": workspace f32 x mul(")));
    CHECK(contains(nest, "function f0 tile_8x2_f32"));
  }
  CHECK(contains(nest_of("gemm", "x86-64-v4", DType::C64), "if le(N, 1)"));
  CHECK(contains(nest_of("matmul", "x86-64-v4", DType::C64), "few rows: vectors along the columns"));
  CHECK(contains(nest_of("matmul", "x86-64-v4", DType::C64), "fold_sum("));
  CHECK_FALSE(contains(nest_of("matmul", "portable", DType::C64), "few rows"));
  CHECK_FALSE(contains(nest_of("dot", "x86-64-v4", DType::C64), "right: workspace"));  // no column
  CHECK_FALSE(contains(nest_of("gemm"), "right: workspace"));
}

TEST_CASE("library bodies: sums and products of complex numbers have vectors, copies and quotients have none") {
  for (const char* op : {"add", "sub", "mul", "neg", "conj", "fma"}) {
    const std::string nest = nest_of(op, "x86-64-v4", DType::C64);
    INFO(nest);
    CHECK(contains(nest, "c64x8"));
  }
  CHECK(contains(nest_of("mul", "x86-64-v3", DType::C128), "c128x2"));
  for (const char* op : {"identity", "concat", "div", "sum"}) {
    const std::string nest = nest_of(op, "x86-64-v4", DType::C64);
    INFO(nest);
    CHECK_FALSE(contains(nest, "c64x"));
  }
}

TEST_CASE("library bodies: products with few rows or columns are not computed in tiles") {
  const std::string nest = nest_of("gemm");
  INFO(nest);
  for (const std::string few : {"le(M, 4))", "le(N, 4))"})  // along the depth, the columns or the rows outside
    CHECK(contains(nest_of("gemm", "x86-64-v4", DType::I32), "if and(and(eq(A_s1, 1), eq(B_s0, 1)), " + few));
  CHECK(contains(nest, "if and(and(eq(M, 1), eq(B_s1, 1)), eq(C_s1, 1))"));  // multiples of B's rows
  CHECK(contains(nest, "if and(and(eq(N, 1), eq(A_s0, 1)), eq(C_s0, 1))"));  // multiples of A's columns
  CHECK(contains(nest, "or(eq(K, 1), and(and(le(K, 4), ge(N, 64)), le(mul(M, N), 1048576)))"));  // a short depth
  const std::string always = nest_of("matvec");
  INFO(always);
  CHECK(contains(always, "by loops"));
}

TEST_CASE("library bodies: products of bytes without zero points are of words") {
  const std::string pairs = nest_of("matmul_i32", "x86-64-v4", DType::I8);
  INFO(pairs);
  CHECK(contains(pairs, "if and(eq(a_zero, 0), eq(b_zero, 0))"));
  CHECK(contains(pairs, "dot2"));
  CHECK(contains(pairs, "transpose_square_i32_of_i8x2"));
  CHECK(contains(nest_of("matmul_i32", "x86-64-v4-vnni", DType::I8), "dot4"));
  CHECK(contains(nest_of("dense", "x86-64-v4", DType::BF16), "transpose_square_f32_of_bf16"));
}

TEST_CASE("library bodies: windows near each other are those at every element of a line, of which some are taken") {
  for (const DType type : {DType::F32, DType::F64, DType::U8}) {
    const std::string nest = nest_of("maxpool2d", "x86-64-v4", type);
    INFO(nest);
    CHECK(contains(nest, "if le(stride.1, 8)"));
    CHECK(contains(nest, "b3 Y_line2: workspace"));
    CHECK(count_of(nest, "(b3, mul(x, stride.1))") == 2);  // windows further apart are found one by one
  }
  CHECK(contains(nest_of("avgpool2d", "x86-64-v3"), "_line2: workspace f32"));
}

TEST_CASE("library bodies: windows at every element are not found by short vectors, or without masks") {
  for (const auto& [level, type] :
       {std::pair{"portable", DType::F32}, std::pair{"x86-64-v2", DType::F32}, std::pair{"neon", DType::F32},
        std::pair{"x86-64-v3", DType::F64}, std::pair{"x86-64-v3", DType::U8}}) {
    const std::string nest = nest_of("maxpool2d", level, type);
    INFO(level << "\n" << nest);
    CHECK_FALSE(contains(nest, "_line2: workspace"));
    CHECK_FALSE(contains(nest, "if le(stride.1, 8)"));
  }
}

TEST_CASE("library bodies: pixels that are gathered are multiplied by tiles, image by image") {
  const std::string nest = nest_of("deformable_conv2d");
  INFO(nest);
  CHECK(contains(nest, "for at_N = 0 .. N"));
  CHECK(contains(nest, "tile_8x2"));
}

TEST_CASE("library bodies: a long matrix is read by blocks of rows for one row, and packed a few panels at a time") {
  const std::string nest = nest_of("gemm", "x86-64-v3");
  INFO(nest);
  CHECK(contains(nest, "and(ge(K, 32), ge(N, 64))"));
  CHECK(contains(nest, "for n_strip = 0 .. "));
  CHECK(contains(nest, "for panel_together = mul(panel_group, 4) .. min(add(mul(panel_group, 4), 4), whole_panels)"));
}

TEST_CASE("library bodies: rows left over take small tiles only where these keep the multipliers busy") {
  const std::string few = nest_of("gemm", "x86-64-v3"), many = nest_of("gemm", "x86-64-v4");
  CHECK(contains(few, "tile_6x2"));
  CHECK_FALSE(contains(few, "tile_2x2"));
  CHECK(contains(many, "tile_8x2"));
  CHECK(contains(many, "tile_4x2"));
}

TEST_CASE("library bodies: rows that are added up are read in long pieces, what is left in half as long ones") {
  const std::string nest = nest_of("sum", "x86-64-v4", DType::I16);
  INFO(nest);
  CHECK(contains(nest, "for q = 0 .. q_groups step 256"));
  CHECK(contains(nest, "for q = q_groups .. q_halves step 128"));
}

TEST_CASE("library bodies: with 16 registers rows come in eight vectors where nothing else needs a register") {
  for (const char* op : {"sum", "max", "mean"}) {
    const std::string nest = nest_of(op, "x86-64-v3", DType::F16);
    INFO(nest);
    CHECK(contains(nest, "for q = 0 .. q_groups step 64"));
  }
  // the means are held beside the sums, and positions beside the largest elements
  CHECK_FALSE(contains(nest_of("variance", "x86-64-v3", DType::F16), "step 64"));
  CHECK(contains(nest_of("argmax", "x86-64-v3"), "for q = 0 .. q_groups step 16"));
}

TEST_CASE("library bodies: a flag that turns a reduction is asked once along rows, and at each row of columns") {
  for (const char* op : {"argmax", "argmin"}) {
    const std::string nest = nest_of(op, "x86-64-v3");
    INFO(nest);
    CHECK(contains(nest, "if eq(Q, 1)\n    if last.0\n"));
    CHECK(contains(nest, "shuffle(run, run; 7 6 5 4 3 2 1 0)"));
    CHECK(contains(nest, "select(last.0, sub(sub(D, 1), j), j), Q)"));
  }
}

TEST_CASE("library bodies: many long columns are reduced by blocks of rows, in strips that stay in the cache") {
  for (const char* op : {"sum", "prod", "max", "mean", "norm_l2", "variance"}) {
    const std::string nest = nest_of(op, "x86-64-v3");
    INFO(nest);
    CHECK(contains(nest, "if and(ge(R, 32), ge(Q, 64))"));
    CHECK(contains(nest, "for q_strip = 0 .. "));
    CHECK(contains(nest, "for r_block = "));
  }
  CHECK(contains(nest_of("sum", "x86-64-v3"), "Y_rows: workspace f32 x min(2048, "));  // two pages of a row
  const std::string running = nest_of("cumsum", "x86-64-v3");
  INFO(running);
  CHECK(contains(running, "if and(ge(D, 32), ge(Q, 64))"));
  CHECK(contains(running, "for q_strip = 0 .. "));
  // rows of small elements are not worth it
  CHECK_FALSE(contains(nest_of("sum", "x86-64-v3", DType::I16), "q_strip"));
  for (const char* op : {"argmax", "attention"}) CHECK_FALSE(contains(nest_of(op, "x86-64-v3"), "q_strip"));
  CHECK_FALSE(contains(nest_of("sum", "portable"), "q_strip"));
}

TEST_CASE("library bodies: running reductions along rows take four rows at a time") {
  for (const char* op : {"cumsum", "cumprod", "cummax", "cummin"}) {
    const std::string nest = nest_of(op, "x86-64-v3");
    INFO(nest);
    CHECK(contains(nest, "if eq(Q, 1)"));
    CHECK(contains(nest, "for p = 0 .. p_groups step 4"));
  }
}

TEST_CASE("library bodies: exponents that are not above 0 by their form take the function of fewer steps") {
  for (const char* op : {"softplus", "log_sigmoid", "mish", "gelu_tanh"}) {
    const std::string nest = nest_of(op);
    INFO(nest);
    CHECK(contains(nest, "exp_bounded("));
    CHECK_FALSE(contains(nest, " exp("));
  }
  CHECK_FALSE(contains(nest_of("exp"), "exp_bounded("));
}

TEST_CASE("library bodies: a number times an exponential shares it with what else asks for it") {
  for (const char* level : {"portable", "x86-64-v4"}) {
    const std::string nest = nest_of("silu", level);
    INFO(nest);
    CHECK(contains(nest, "times_exp("));
    CHECK_FALSE(contains(nest, "mul_exp("));
    const size_t first = nest.find("exp_bounded("), product = nest.find("times_exp(");
    CHECK(first < product);  // it has a name, which the product reads
    CHECK_FALSE(contains(nest.substr(product, nest.find('\n', product) - product), "exp_bounded("));
  }
}

TEST_CASE("library bodies: elements that a tensor names along the last axis are copied without a loop for each") {
  for (const char* op : {"gather", "take_along_axis"}) {
    const std::string nest = nest_of(op);
    INFO(nest);
    CHECK(contains(nest, "if eq(Q, 1)"));
  }
}

TEST_CASE("library bodies: convolutions with few filters and with windows of one element have their own") {
  const std::string nest = nest_of("conv2d");
  INFO(nest);
  CHECK(contains(nest, "if and(le(Mg, 4), eq(stride.1, 1))"));
  CHECK(contains(nest, "if and(le(Mg, 4), eq(stride.1, 2))"));
  CHECK(contains(nest, "eq(Ho, H)"));
  CHECK(contains(nest, "taken: workspace"));      // pixels that are 2 apart, side by side
  CHECK(contains(nest, "transpose_square_f32"));  // weights become panels
  CHECK(contains(nest_of("conv1d"), "if and(le(Mg, 4), eq(stride, 1))"));
}

TEST_CASE("library bodies: elements of a strided view are gathered into vectors for functions, and only for these") {
  CHECK(contains(nest_of("exp"), "gather:"));
  CHECK_FALSE(contains(nest_of("relu"), "gather:"));
}

TEST_CASE("library bodies: windows are gone through down their columns, then along a line") {
  for (const char* op : {"maxpool2d", "avgpool2d", "maxpool3d"}) {
    const std::string nest = nest_of(op);
    INFO(nest);
    CHECK(contains(nest, "_line"));
    CHECK_FALSE(contains(nest, "at_s"));  // no index along the line is asked whether it is inside
  }
}

TEST_CASE("library bodies: lines that windows are read from are made for eight rows, which workers may share") {
  for (const char* op : {"maxpool2d", "avgpool2d"}) {
    const std::string nest = nest_of(op);
    INFO(nest);
    CHECK(contains(nest, "parallel for y_block = 0 .. "));
    CHECK(count_of(nest, "for y = y_begin") == 2 * count_of(nest, "for y_block = 0"));
    CHECK(contains(workspaces_of(nest), "_lines"));
    CHECK_FALSE(contains(workspaces_of(nest), "_line:"));
  }
  CHECK_FALSE(contains(nest_of("resize2d_linear"), "y_block"));  // elements that are looked up come one by one
}

TEST_CASE("library bodies: sums over short windows need no blocks") {
  const std::string nest = nest_of("avgpool2d");
  INFO(nest);
  const size_t fork = nest.find("if and(le(kernel.0, 64), le(kernel.1, 64))"), blocks = nest.find("_sum_block");
  CHECK(fork != std::string::npos);
  CHECK(blocks > nest.find("else", fork));
}

TEST_CASE("library bodies: short rows go as many at a time as a vector has lanes, folded into one vector") {
  for (const char* op : {"sum", "max", "mean", "norm_l2", "variance"}) {
    const std::string nest = nest_of(op);
    INFO(nest);
    CHECK(contains(nest, "if lt(R, 512)"));
    CHECK(contains(nest, "for p = 0 .. p_together step 16"));
    CHECK(contains(nest, "for p = p_together .. P step 1"));
    CHECK(contains(nest, "0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23"));
  }
  CHECK_FALSE(contains(nest_of("logsumexp"), "_together"));  // its rows take long for themselves
  for (const char* op : {"sum", "max"}) {
    CHECK(contains(nest_of(op, "x86-64-v4", DType::I32), "for p = 0 .. p_together step 16"));
    CHECK(contains(nest_of(op, "x86-64-v3", DType::I64), "for p = 0 .. p_together step 4"));
    CHECK_FALSE(contains(nest_of(op, "x86-64-v4", DType::I16), "_together"));  // lanes without a register each
  }
}

TEST_CASE("library bodies: the largest of a few neighbours is found one by one") {
  const std::string nest = nest_of("argmax", "x86-64-v4", DType::U8);
  INFO(nest);
  const size_t many = nest.find("if and(ge(D, 12), le(D, 2147483647))");
  REQUIRE(many != std::string::npos);
  CHECK(many > nest.find("if eq(Q, 1)"));
  CHECK(contains(nest, "if le(D, 2147483647)"));                       // down columns, which are next to each other
  CHECK_FALSE(contains(nest_of("argmin"), "if and(ge(D, 12), le(D"));  // floats: NaN is asked for one by one
  const std::string wide =
      nest_of("argmax", "x86-64-v4", DType::I64);  // positions of eight bytes fit next to values of eight
  CHECK(contains(wide, "if ge(D, 12)"));
  CHECK_FALSE(contains(wide, "le(D, 2147483647)"));
}

TEST_CASE("library bodies: slices whose ends are inside copy lines, by whole vectors where they take every second") {
  const std::string nest = nest_of("slice");
  INFO(nest);
  CHECK(contains(nest, "if and(and(and(ge(begin_7, 0), le(begin_7, sub(S_7, 1))), ge("));
  CHECK(contains(nest, "if eq(step_7, 1)"));
  CHECK(contains(nest, "if eq(step_7, 2)"));
  CHECK(contains(nest, "0 2 4 6 8 10 12 14"));
}

TEST_CASE("library bodies: a tile is told where its rows are by one step, in the tensor or in its copy") {
  const std::string nest = nest_of("gemm", "x86-64-v3");
  INFO(nest);
  CHECK(contains(nest, "tile_6x2_f32_steps_rows"));
  CHECK(contains(nest, "let row5: i64 = mul(min(5, last_row), row_step)"));
  CHECK_FALSE(contains(nest, "if eq(alpha, 0)"));  // factors of the result choose by a select
}

TEST_CASE("library bodies: operands of products that a call gives transposed are transposed by squares of vectors") {
  const std::string nest = nest_of("gemm");
  INFO(nest);
  CHECK(contains(nest, "and(eq(width, 32), eq(B_s0, 1))"));  // into panels of the right side
  CHECK(contains(nest, "let rows_transposed: i64 = select(and(ge(block_rows, 16), eq(A_s0, 1))"));  // into the copy
  CHECK(contains(nest, "let square_row: i64 = min(copied_row, sub(rows_transposed, 16))"));  // also of the last rows
  CHECK(contains(nest, "transpose_square_f32"));
}

TEST_CASE("library bodies: a C template has a text for each level with four lanes of 64 bits if it uses vectors") {
  const Isa *portable = isa_from_name("portable"), *v2 = isa_from_name("x86-64-v2"), *v3 = isa_from_name("x86-64-v3"),
            *v4 = isa_from_name("x86-64-v4");
  const auto levels_of = [&](const std::string& op) {
    const auto library = expand_library(tenon_test::shipped_ops(), {{op}, {DType::F32}});
    REQUIRE(library);
    std::string own;
    for (const auto& nest :
         lower_levels(library->ops[0].kernels[0].kernel, tenon_test::shipped_blueprints(), {portable, v2, v3, v4}))
      own += nest ? 'x' : '.';
    return own;
  };
  CHECK(levels_of("sort") == "x.xx");
  CHECK(levels_of("argsort") == "x.xx");
  CHECK(levels_of("nonzero") == "x...");
}

TEST_CASE("library bodies: a transposed convolution is a product of matrices whose results are added up") {
  for (const char* op : {"conv_transpose1d", "conv_transpose2d", "conv_transpose3d"}) {
    const std::string nest = nest_of(op);
    INFO(nest);
    CHECK(contains(nest, "fma"));        // the product has vectors
    CHECK_FALSE(contains(nest, "mod"));  // nothing asks of each element and tap whether they meet
  }
}

TEST_CASE("library bodies: short sums of a few rows with many columns are folded together") {
  const std::string nest = nest_of("gemm");
  INFO(nest);
  CHECK(contains(nest, "lt(K, 512)"));
  CHECK(contains(nest, "for n = 0 .. n_together step 16"));
  CHECK(contains(nest, "for n = n_together .. N step 1"));
}

TEST_CASE("library bodies: a transposed convolution keeps the products of one image and one group, taken by tiles") {
  for (const char* op : {"conv_transpose1d", "conv_transpose2d", "conv_transpose3d"}) {
    const std::string nest = nest_of(op);
    INFO(nest);
    CHECK(contains(nest, "function f0 tile_"));
    CHECK(contains(nest, "for at_N = 0 .. N step 1"));
    CHECK(contains(nest, "for at_groups = 0 .. groups step 1"));
    for (const char* size : {"N", "groups"}) CHECK_FALSE(contains(workspaces_of(nest), size));
    CHECK(count_of(nest, "for y = 0") <= 4);  // steps of 1 are a case, the last extent is none
  }
}

TEST_CASE("library bodies: what a transposed convolution adds up is chosen by bounds of loops, not by conditions") {
  for (const char* op : {"conv_transpose1d", "conv_transpose2d", "conv_transpose3d"}) {
    const std::string nest = nest_of(op);
    INFO(nest);
    const size_t by_ones = nest.find(op == std::string("conv_transpose1d") ? "if eq(stride, 1)" : "if eq(stride."),
                 vectors = nest.find("for w = w_begin .. w_groups step 32", by_ones),
                 scalars = nest.find("for w = w_begin .. w_end step 1", vectors);
    REQUIRE(by_ones != std::string::npos);
    CHECK(contains(nest, "for w_block = 0") == (op == std::string("conv_transpose1d")));
    CHECK(vectors != std::string::npos);
    CHECK(scalars != std::string::npos);
    CHECK_FALSE(contains(nest.substr(by_ones), "if and"));
    CHECK_FALSE(contains(nest.substr(by_ones), "clamp"));
  }
}

TEST_CASE("library bodies: windows of adaptive pools are reduced down their columns by vectors") {
  for (const char* op : {"adaptive_avgpool2d", "adaptive_maxpool2d"}) {
    const std::string nest = nest_of(op);
    INFO(nest);
    CHECK(contains(nest, "for w = 0 .. w_groups step 128"));
  }
}

TEST_CASE("library bodies: the product of a matrix and a vector needs no panels in either order of the memory") {
  const std::string nest = nest_of("matvec");
  INFO(nest);
  CHECK(contains(nest, "if eq(A_s1, 1)"));
  CHECK_FALSE(contains(nest, "packed"));
  CHECK_FALSE(contains(nest, "mul(m, A_s0), mul(k, A_s1)"));  // nor is a body left for rows that are dense in neither
}

TEST_CASE("library bodies: what is scattered has room for one image, group and channel where products have no tiles") {
  const std::string nest = nest_of("conv_transpose2d", "portable", DType::C64);
  INFO(nest);
  for (const char* loop : {"parallel for n = 0", "parallel for g = 0", "parallel for m = 0"})
    CHECK(count_of(nest, loop) == 1);
  for (const char* size : {"N", "groups", "Mg"}) CHECK_FALSE(contains(workspaces_of(nest), size));
}

}  // namespace library_bodies_test
