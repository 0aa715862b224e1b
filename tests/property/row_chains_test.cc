// Chains of products over blocks of rows: they compute what the kernels say, and gradients of attention keep no matrix
// of scores.
#include <functional>
#include <map>

#include "catch.h"
#include "differentiate/gradient_ops.h"
#include "isa/all_isas.h"
#include "library/expand_library.h"
#include "lower/lower_kernel.h"
#include "nest/run_nest.h"
#include "opdef/read_ops.h"
#include "random_call.h"
#include "shipped_library.h"

namespace row_chains_test {

using namespace tenon;

namespace {

/// The gradients of attention with respect to its queries, keys and values, or to its mask, which has the scores'
/// shape.
std::vector<Kernel> gradients_of_attention(DType type, bool of_mask = false) {
  const OpLibrary& defs = tenon_test::shipped_ops();
  const GradientOps ops = gradient_ops(expand_for_gradients(defs, {{"attention"}, {type}}), defs);
  std::vector<Kernel> out;
  for (const LibraryOp& op : ops.library.ops)
    for (const LibraryKernel& k : op.kernels)
      if (k.kernel.name.ends_with("_dA") == of_mask) out.push_back(k.kernel);
  return out;
}

/// The shipped blueprints, but for blocks of one row.
Blueprints with_single_rows() {
  Blueprints out = tenon_test::shipped_blueprints();
  for (Blueprint& b : out.rows)
    if (b.kind == "row_chain") b.cache_m = b.row_multiple = 1;
  return out;
}

const std::vector<const Isa*>& levels() {
  static const std::vector<const Isa*> all = {isa_from_name("portable"), isa_from_name("x86-64-v3"),
                                              isa_from_name("x86-64-v4"), isa_from_name("neon")};
  return all;
}

/// Blocks of as many rows as the blueprint says, and of one, at every level: the number of calls drawn.
int check_blocks(const Kernel& kernel, std::mt19937& random) {
  int tried = 0;
  const auto whole = lower_levels(kernel, tenon_test::shipped_blueprints(), levels()),
             single = lower_levels(kernel, with_single_rows(), levels());
  for (int i = 0; i < 8; ++i) {
    const auto call = tenon_test::random_call(kernel, random);
    if (!call) continue;
    ++tried;
    for (const auto* nests : {&whole, &single})
      for (const auto& nest : *nests) {
        if (!nest) continue;
        INFO(nest->name);
        CHECK(nest->blueprint == "row_chain");
        OracleCall got = call->given;
        const NestRun run = run_nest(*nest, got);
        CHECK(run.fault == "");
        CHECK(tenon_test::difference(kernel, call->want, got) == "");
      }
  }
  return tried;
}

/// The kernel whose sizes are these numbers.
Kernel with_numbers(const Kernel& kernel, const std::function<int64_t(const std::string&)>& number) {
  const std::function<Expr(const Expr&)> constant = [&](const Expr& e) {
    const auto* s = std::get_if<SizeRef>(&e->node);
    return s ? constant_int(number(s->name)) : map_children(e, constant);
  };
  Kernel out = map_exprs(kernel, constant);
  out.sizes.clear();
  out.facts.clear();
  return out;
}

/// The kernel for one head of n queries and n keys of 64 elements.
Kernel of_one_head(const Kernel& kernel, int64_t n) {
  return with_numbers(kernel, [&](const std::string& size) {
    return size == "L" || size == "S" ? n : size == "D" || size == "E" ? 64 : 1;
  });
}

/// The kernel for 2 x 3 x 2 heads, of which only the 3 have masks of their own.
Kernel of_shared_masks(const Kernel& kernel) {
  const std::map<std::string, int64_t> numbers = {
      {"B", 2},     {"Hk", 3},    {"G", 2},     {"L", 5},     {"S", 7},     {"D", 3},     {"E", 2},     {"K_s0", 63},
      {"K_s1", 21}, {"K_s2", 3},  {"K_s3", 1},  {"V_s0", 42}, {"V_s1", 14}, {"V_s2", 2},  {"V_s3", 1},  {"A_s0", 0},
      {"A_s1", 35}, {"A_s2", 0},  {"A_s3", 7},  {"A_s4", 1},  {"dA_n0", 1}, {"dA_n1", 3}, {"dA_n2", 1}, {"dA_n3", 5},
      {"dA_n4", 7}, {"dA_r0", 2}, {"dA_r1", 1}, {"dA_r2", 2}, {"dA_r3", 1}, {"dA_r4", 1}};
  return with_numbers(kernel, [&](const std::string& size) { return numbers.at(size); });
}

}  // namespace

TEST_CASE("gradients of attention add up over blocks of rows at every level") {
  std::mt19937 random(3);
  int tried = 0;
  for (const DType type : {DType::F32, DType::F16})
    for (const Kernel& kernel : gradients_of_attention(type)) tried += check_blocks(kernel, random);
  CHECK(tried >= 24);
}

TEST_CASE("the gradient of a mask is a sum of scores that a chain makes") {
  std::mt19937 random(4);
  int tried = 0;
  for (const DType type : {DType::F32, DType::F16})
    for (const Kernel& kernel : gradients_of_attention(type, true)) {
      INFO(to_text(kernel));
      tried += check_blocks(of_shared_masks(kernel), random);
    }
  CHECK(tried >= 8);
}

TEST_CASE("sums over the rows of all blocks follow a chain") {
  const char* text = R"(
ops:
  - op: weighed
    types: {T: float}
    in: {Q: "T[B, L, D]", K: "T[B, S, D]", V: "T[B, S, E]"}
    out: {W: "T[S]", Y: "T[B, L, E]", U: "T[B]"}
    body: |
      s[b,i,j] = sum[d](Q[b,i,d]*K[b,j,d])
      m[b,i] = max[j](s[b,i,j])
      p[b,i,j] = exp(s[b,i,j] - m[b,i])
      W[j] = sum[b,i](p[b,i,j])
      Y[b,i,e] = sum[j](p[b,i,j]*V[b,j,e])
      U[b] = max[i,j](p[b,i,j] + m[b,i])
)";
  const auto defs = read_ops({}, {std::make_shared<const SourceFile>("own.yaml", text)}, {});
  REQUIRE(defs);
  const auto library = expand_library(*defs, {{"weighed"}, {DType::F32}});
  REQUIRE(library);
  std::mt19937 random(6);
  CHECK(check_blocks(library->ops[0].kernels[0].kernel, random) > 0);
}

TEST_CASE("gradients of attention make each product and each exponential once") {
  for (const Kernel& kernel : gradients_of_attention(DType::F32)) {
    INFO(to_text(kernel));
    int sums = 0, exponentials = 0;
    for (const KernelStatement& s : kernel.body) {
      each_node<Reduce>(s.value, [&](const Reduce&) { ++sums; });
      each_node<Apply>(s.value, [&](const Apply& a) { exponentials += a.op == ScalarOp::Exp; });
    }
    CHECK(exponentials == 1);
    CHECK(sums == 8);  // three statistics of rows, two products of scores, and one for each gradient
  }
}

TEST_CASE("temps between products go as far as the bound of their own row") {
  const char* text = R"(
ops:
  - op: limited
    types: {T: float}
    in: {A: "T[M, K]", B: "T[K, J]", D: "T[K, E]", Len: "u8[M]"}
    out: {Y: "T[M, E]"}
    body: |
      s[i,j] = sum[k](A[i,k]*B[k,j])
      t[i,e] = sum[k](A[i,k]*D[k,e])
      m[i] = max[j : j < Len[i]](s[i,j])
      p[i,j] = exp(s[i,j] - m[i])
      q[i] = 1 + sum[j : j < Len[i]](p[i,j])
      r[i] = sum[j : j < Len[i]](p[i,j]/q[i])
      Y[i,e] = t[i,e]*r[i]
)";
  const auto defs = read_ops({}, {std::make_shared<const SourceFile>("own.yaml", text)}, {});
  REQUIRE(defs);
  const auto library = expand_library(*defs, {{"limited"}, {DType::F32}});
  REQUIRE(library);
  std::mt19937 random(5);
  CHECK(check_blocks(library->ops[0].kernels[0].kernel, random) > 0);
}

TEST_CASE("gradients of attention keep no matrix of scores") {
  for (const Kernel& kernel : gradients_of_attention(DType::F32))
    for (const auto& nest : lower_levels(of_one_head(kernel, 4096), tenon_test::shipped_blueprints(), levels())) {
      if (!nest) continue;
      INFO(nest->name);
      CHECK(nest->blueprint == "row_chain");
      for (const Buffer& b : nest->buffers)
        if (const Operand n = b.elements; n && b.storage == Storage::Workspace)
          CHECK(constant_value(n).value_or(0) <= 64 * 4112);  // a row of scores for each of 64, or all keys
    }
}

}  // namespace row_chains_test
