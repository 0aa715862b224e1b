// Gradients of attention: blocks of rows add up to what the kernels say, and no matrix of scores is kept.
#include <functional>

#include "catch.h"
#include "differentiate/gradient_ops.h"
#include "isa/all_isas.h"
#include "library/expand_library.h"
#include "lower/lower_kernel.h"
#include "oracle/run_nest.h"
#include "random_call.h"
#include "shipped_library.h"

namespace gradient_chains_test {

using namespace tenon;

namespace {

/// The gradients of attention with respect to its queries, keys and values: that of a mask has the scores' shape.
std::vector<Kernel> gradients_of_attention(DType type) {
  const OpLibrary& defs = tenon_test::shipped_ops();
  const GradientOps ops = gradient_ops(expand_for_gradients(defs, {{"attention"}, {type}}), defs);
  std::vector<Kernel> out;
  for (const LibraryOp& op : ops.library.ops)
    for (const LibraryKernel& k : op.kernels)
      if (!k.kernel.name.ends_with("_dA")) out.push_back(k.kernel);
  return out;
}

/// The shipped blueprints, but for blocks of one row.
Blueprints with_single_rows() {
  Blueprints out = tenon_test::shipped_blueprints();
  for (Blueprint& b : out.rows)
    if (b.kind == "row_chain") b.cache_m = b.unroll = 1;
  return out;
}

const std::vector<const Isa*>& levels() {
  static const std::vector<const Isa*> all = {isa_from_name("portable"), isa_from_name("x86-64-v3"),
                                              isa_from_name("x86-64-v4"), isa_from_name("neon")};
  return all;
}

/// The kernel for one head of n queries and n keys of 64 elements.
Kernel of_one_head(const Kernel& kernel, int64_t n) {
  const std::function<Expr(const Expr&)> constant = [&](const Expr& e) {
    const auto* s = std::get_if<SizeRef>(&e->node);
    if (!s) return map_children(e, constant);
    return constant_int(s->name == "L" || s->name == "S" ? n : s->name == "D" || s->name == "E" ? 64 : 1);
  };
  Kernel out = map_exprs(kernel, constant);
  out.sizes.clear();
  out.facts.clear();
  return out;
}

}  // namespace

TEST_CASE("gradients of attention add up over blocks of rows at every level") {
  std::mt19937 random(3);
  size_t tried = 0;
  for (const DType type : {DType::F32, DType::F16})
    for (const Kernel& kernel : gradients_of_attention(type)) {
      const auto whole = lower_levels(kernel, tenon_test::shipped_blueprints(), levels()),
                 single = lower_levels(kernel, with_single_rows(), levels());
      for (int i = 0; i < 4; ++i) {
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
    }
  CHECK(tried >= 30);
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

}  // namespace gradient_chains_test
