// --fix: its text, and the values that kernels get.
#include <algorithm>

#include "algebra/known_values.h"
#include "catch.h"
#include "command/fix_kernels.h"
#include "command/fix_text.h"
#include "library/expand_library.h"
#include "shipped_library.h"

namespace fix_test {

using namespace tenon;

namespace {

std::string read_back(const std::string& text) {
  const auto entries = parse_fix(std::make_shared<const SourceFile>("--fix", text));
  if (!entries) return entries.diagnostics().text();
  std::string out;
  for (const FixEntry& e : *entries) out += (out.empty() ? "" : "; ") + e.op.text + ": " + to_text(e);
  return out;
}

Library library_of(const std::vector<std::string>& ops, const std::vector<DType>& dtypes = {DType::F32}) {
  LibrarySelection chosen;
  chosen.ops = ops;
  chosen.dtypes = dtypes;
  return expand_library(tenon_test::shipped_ops(), chosen).value();
}

/// The conditions of a kernel's fixed bodies, or what is wrong with the text.
std::string conditions(const std::string& text, const std::vector<std::string>& ops, const std::string& kernel) {
  Library library = library_of(ops);
  const Diagnostics wrong = fix_library(tenon_test::shipped_ops(), {text}, library);
  if (wrong.has_errors()) return wrong.text();
  std::string out;
  for (const LibraryOp& op : library.ops)
    for (const LibraryKernel& k : op.kernels)
      if (k.name == kernel)
        for (const FixedValues& f : k.fixed) out += (out.empty() ? "" : "; ") + to_text(equal_to(f.asked));
  return out;
}

}  // namespace

TEST_CASE("--fix is read as entries of ops") {
  CHECK(read_back("gemm: M=64 N=64,K=64 ;; conv2d:kernel=3x3 stride = 1;") ==
        "gemm: M=64 N=64 K=64; conv2d: kernel=3x3 stride=1");
  CHECK(read_back("gemm: alpha=-1.5e-3 transA=true\n; relu: S=2x3x4") ==
        "gemm: alpha=-1.5e-3 transA=true; relu: S=2x3x4");
  CHECK(read_back("pad2d: mode=reflect value=+1e+2") == "pad2d: mode=reflect value=+1e+2");
}

TEST_CASE("A fixed body asks for sizes and dense strides") {
  CHECK(
      conditions("gemm: M=64 N=32 K=16", {"gemm"}, "gemm_f32_noC") ==
      "(((((((M == 64) and (K == 16)) and (N == 32)) and (A_s1 == 1)) and (A_s0 == 16)) and (B_s1 == 1)) and (B_s0 == "
      "32))");
}

TEST_CASE("Stored orders, extents of one and open sizes decide which strides are dense") {
  CHECK(conditions("gemm: M=1 transB=true", {"gemm"}, "gemm_f32_noC") ==
        "((((M == 1) and (A_s1 == 1)) and (B_s0 == 1)) and (B_s1 == K))");
  CHECK(conditions("matmul: M=2", {"matmul"}, "matmul_f32") ==
        "(((((M == 2) and (A_s2 == 1)) and (A_s1 == K)) and (B_s2 == 1)) and (B_s1 == N))");
  CHECK(conditions("add: S=2x3", {"add"}, "add_f32") == "((S_outer == 1) and (S == 6))");
}

TEST_CASE("The body that asks for most is compared first") {
  CHECK(conditions("softmax: D=10; softmax: D=10 Q=1", {"softmax"}, "softmax_f32") ==
        "((D == 10) and (Q == 1)); (D == 10)");
}

TEST_CASE("Attributes are fixed with their type, zeros with their sign") {
  CHECK(conditions("leaky_relu: alpha=0", {"leaky_relu"}, "leaky_relu_f32") ==
        "(((alpha == 0) and (copysign(1, alpha) == 1)) and (X_s1 == 1))");
  CHECK(conditions("leaky_relu: alpha=-0.5", {"leaky_relu"}, "leaky_relu_f32") == "((alpha == -0.5) and (X_s1 == 1))");
}

TEST_CASE("Sizes that follow from fixed ones are constants of the body") {
  Library library = library_of({"conv2d"});
  REQUIRE(!fix_library(tenon_test::shipped_ops(), {"conv2d: H=8 W=9 kernel=3 stride=1x2 pads=0 dilation=1"}, library)
               .has_errors());
  const FixedValues& f = library.ops[0].kernels[0].fixed.at(0);
  std::string implied;
  for (const auto& [what, value] : f.implied) implied += to_text(what) + "=" + to_text(value) + " ";
  CHECK(implied == "Ho=6 Wo=4 ");
}

TEST_CASE("A kernel whose type lacks a value has no body") {
  Library library = library_of({"gemm"}, {DType::I32, DType::F32});
  REQUIRE(!fix_library(tenon_test::shipped_ops(), {"gemm: alpha=0.5"}, library).has_errors());
  for (const LibraryKernel& k : library.ops[0].kernels)
    CHECK(k.fixed.size() == (k.types.at("T") == DType::F32 ? 1U : 0U));
}

}  // namespace fix_test
