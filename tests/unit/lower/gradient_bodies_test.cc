// Bodies of library kernels that compute gradients.
#include <set>

#include "catch.h"
#include "differentiate/gradient_ops.h"
#include "isa/all_isas.h"
#include "library/expand_library.h"
#include "lower/lower_kernel.h"
#include "lower/lower_library.h"
#include "schedule/read_blueprints.h"
#include "shipped_library.h"
#include "unit/opdef/read_text.h"

namespace gradient_bodies_test {

using namespace tenon;

namespace {

/// The nest of a gradient of the op in f32 with 512-bit vectors.
std::string nest_of(const std::string& op, const std::string& output) {
  const OpLibrary& defs = tenon_test::shipped_ops();
  const GradientOps made = gradient_ops(expand_for_gradients(defs, {{op}, {DType::F32}}), defs);
  for (const LibraryKernel& k : made.library.ops[0].kernels)
    if (k.kernel.name.ends_with(output))
      return to_text(*lower_levels(k.kernel, tenon_test::shipped_blueprints(), {isa_from_name("x86-64-v4")})[0]);
  FAIL("no kernel of " << output);
  return "";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("gradient bodies: windows at steps of the call add terms to their places, or slide at steps of 1") {
  const std::string conv = nest_of("conv2d", "dX"), pool = nest_of("avgpool2d", "dX"),
                    columns = nest_of("im2col", "dX");
  INFO(conv << pool << columns);
  CHECK(contains(conv, "packed"));  // tiles
  CHECK(contains(conv, "for at_N = 0"));
  CHECK(contains(conv, "steps of 1: sums over windows"));
  CHECK(contains(conv, "few filters: vectors of pixels along a line"));
  CHECK(contains(conv, "sums of one product: added to their places"));
  for (const std::string& body : {conv, pool, columns}) {
    CHECK(contains(body, "sums"));
    for (size_t at = body.find("floormod("); at != std::string::npos; at = body.find("floormod(", at + 1))
      CHECK(body.substr(body.find(')', at) - 3, 3) == ", 2");  // the run of a place
  }
}

TEST_CASE("gradient bodies: at steps of 2 along a line terms are added to two runs of adjacent elements") {
  for (const char* op : {"conv2d", "conv1d", "avgpool2d", "im2col", "conv_transpose2d"}) {
    const std::string output = op == std::string("conv_transpose2d") ? "dF" : "dX", body = nest_of(op, output);
    INFO(body);
    const size_t from = body.find("steps of 2 along the line: added to their places in two runs");
    CHECK((from != std::string::npos) == (output == "dX"));
    if (from == std::string::npos) continue;
    const std::string rest = body.substr(from), runs = rest.substr(0, rest.find(" along", 100));
    CHECK(contains(runs, "for run = 0"));
    CHECK(contains(runs, "shuffle"));
  }
}

TEST_CASE("gradient bodies: sums over all pixels of all images are divided where they are long") {
  const std::string body = nest_of("conv2d", "dF");
  INFO(body);
  CHECK(contains(body, "if lt(depth_a_part, depth)"));
  CHECK(contains(body, "if eq(first_depth, 0)"));  // later parts add to the sums
  CHECK_FALSE(contains(nest_of("gemm", "dB"), "depth_a_part"));
}

TEST_CASE("gradient bodies: maxima of windows are found in padded lines") {
  for (const char* op : {"maxpool2d", "maxpool3d"}) {
    const std::string body = nest_of(op, "dX");
    INFO(body);
    CHECK(contains(body, "line: workspace f32"));
    CHECK(contains(body, "place: workspace i32"));
    CHECK(contains(body, "offset: workspace i64"));
    CHECK(contains(body, "all windows are inside"));
  }
}

TEST_CASE("gradient bodies: taps of one filter a group are lines of sums, by vectors at steps of 1 and 2") {
  for (const char* op : {"conv1d", "conv2d", "conv3d"}) {
    const std::string body = nest_of(op, "dF");
    INFO(body);
    CHECK(contains(body, "packed"));  // tiles for more filters
    const size_t first = body.find("one filter a group: lines of products for each tap");
    REQUIRE(first != std::string::npos);
    CHECK(body.find("one filter a group", first + 1) != std::string::npos);
    CHECK(contains(body, "sums: workspace f32"));
  }
  CHECK_FALSE(contains(nest_of("conv2d", "dX"), "one filter a group"));
  CHECK_FALSE(contains(nest_of("gemm", "dB"), "one filter a group"));
}

TEST_CASE("gradient bodies: places and terms of windows have room for one image and channel") {
  for (const std::string op : {"maxpool2d", "avgpool2d", "maxpool3d"}) {
    const std::string body = nest_of(op, "dX");
    INFO(body);
    const size_t from = body.find(": workspace"), to = body.find("\n  let ");
    CHECK(from < to);
    CHECK_FALSE(contains(body.substr(from, to - from), "mul(N, C)"));
  }
}

TEST_CASE("gradient bodies: the places of maxima in windows are divided by vectors") {
  const std::string body = nest_of("maxpool3d", "dX");
  INFO(body);
  CHECK(contains(body, "row: workspace i32"));
  for (const char* divided : {"floormod(load", "floordiv(load"}) CHECK_FALSE(contains(body, divided));
}

TEST_CASE("gradient bodies: elements of a slice that is inside are added by vectors") {
  const std::string body = nest_of("slice", "dX");
  INFO(body);
  CHECK(contains(body, "all indices are inside: nothing to clamp"));
  CHECK(contains(body, "add(load:f32x16(b1"));
}

TEST_CASE("gradient bodies: what a scatter leaves out is padding of its gradient") {
  for (const std::string output : {"dX", "dF"}) {
    const std::string body = nest_of("conv_transpose2d", output);
    INFO(body);
    CHECK(contains(body, "packed"));  // tiles
    CHECK_FALSE(contains(body, "dt: "));
  }
}

TEST_CASE("gradient bodies: sums around a dimension have a body for neighbours along it") {
  const std::string body = nest_of("batch_norm_training", "dX_dG_dB");
  INFO(body);
  CHECK(contains(body, "if eq(S, 1)"));
}

TEST_CASE("gradient bodies: what only an output needs runs where the call asks for it") {
  const OpLibrary& defs = tenon_test::shipped_ops();
  const GradientOps made = gradient_ops(expand_for_gradients(defs, {{"rms_norm"}, {DType::F32}}), defs);
  const std::vector<const Isa*> levels{isa_from_name("portable")};
  const LoweredLibrary lowered = lower_library(made.library, tenon_test::shipped_blueprints(), levels, Workers::one);
  REQUIRE(lowered.kernels.size() == 1);
  const LoopNest& nest = *lowered.kernels[0].nests[0];
  INFO(to_text(nest));
  std::set<std::string> guarded;  // tensors that are stored to under a condition of their own
  const auto look = [&](const auto& self, const Block& block, const std::string& condition) -> void {
    for (const Stmt& s : block) {
      if (const auto* store = std::get_if<SStore>(&s.node);
          store && nest.buffers[store->buffer].storage == Storage::Tensor) {
        const std::string& name = nest.buffers[store->buffer].name;
        CHECK(condition == "gt(" + name + "_given, 0)");
        guarded.insert(name);
      }
      const auto* branch = std::get_if<SIf>(&s.node);
      const std::string here = branch ? to_text(branch->cond) : condition;
      each_block(s, [&](const Block& inside) { self(self, inside, contains(here, "_given") ? here : condition); });
    }
  };
  look(look, nest.body, "");
  CHECK(guarded == std::set<std::string>{"dG", "dX"});
}

TEST_CASE("gradient bodies: outputs left out whose blocks name other values alike, or follow each other with names") {
  const OpLibrary defs = tenon_test::wholly_read(tenon_test::read_text(R"(
ops:
  - op: named_alike
    types: {T: float}
    in: {B: "T[*P, N]", C: "T[*P, M]"}
    require: [N >= 1, M >= 1]
    out: {Y: "T[*P, M]"}
    body: |
      s[*p,j] = padded(s[*p,j - 1], -2)
      t[*p,i,j] = B[*p,i] - B[*p,i] - min[r : j - 2 < r and r <= j + 1](max(C[*p,j], C[*p,r]))
      Y[*p,j] = select(s[*p,j] <= -1, B[*p,2 % N], 4) + max[l : l <= max(j - 2, 0)](t[*p,2 % N,l])
  - op: one_after_the_other
    types: {T: float}
    in: {A: "T[N, M, C]", B: "T[N, C]", W: "T[N, N, C]"}
    require: [N >= 1, M >= 1]
    out: {Y: "T[N, M, C]", Z: "T[M, C]"}
    body: |
      s[i,j,c] = W[i,i,c] % 7 + A[i,j,c] - A[i,j,c]
      t[i,j,c] = padded(t[i,j - 2,c], 3)
      u[i,j,c] = min(W[i,i,c], s[2 % N,j,c])
      v[i,c] = u[i,2 % M,c] % 7
      Y[i,j,c] = v[i,c]
      Z[j,c] = select(t[2 % N,j,c] <= -2, B[2 % N,c], 2)
)"));
  for (const char* op : {"named_alike", "one_after_the_other"}) {
    const GradientOps made = gradient_ops(expand_for_gradients(defs, {{op}, {DType::F64}}), defs);
    std::vector<const Isa*> levels;
    for (const char* level : {"portable", "x86-64-v2", "x86-64-v3", "x86-64-v4"})
      levels.push_back(isa_from_name(level));
    for (const auto& k : lower_library(made.library, tenon_test::shipped_blueprints(), levels, Workers::one).kernels)
      for (const auto& nest : k.nests)
        if (nest) CHECK(verify(*nest) == std::vector<std::string>{});
  }
}

TEST_CASE("gradient bodies: where nothing is broadcast nothing is summed, and no sum slides") {
  const std::string mul = nest_of("mul", "dA"), product = nest_of("matmul", "dA");
  INFO(mul << product);
  CHECK(contains(mul, "eq(dA_r7, 1)"));
  CHECK(contains(mul, "if eq(dA_n7, 1)"));
  CHECK_FALSE(contains(mul, "dA_part"));
  CHECK(mul.size() < 100000);
  CHECK(contains(product, "nothing is repeated"));
}

TEST_CASE("gradient bodies: a gradient stored like its operand is a product by tiles, in rows or in columns") {
  for (const std::string output : {"A", "B"}) {
    const std::string body = nest_of("gemm", "d" + output);
    INFO(body);
    CHECK(contains(body, "packed"));
    CHECK(contains(body, "if eq(d" + output + "_s1, 1)"));
  }
}

TEST_CASE("gradient bodies: the gradient of a transpose goes from tile to tile") {
  const std::string body = nest_of("transpose", "dX");
  INFO(body);
  CHECK(contains(body, "if and(eq(dX_s0, 1), eq(dY_s1, 1))"));
  CHECK(contains(body, "shuffle"));
}

}  // namespace gradient_bodies_test
