// Keys that no query of a block may see are neither multiplied nor normalised.
#include "lower/contraction/chain_limit.h"

#include <algorithm>

#include "../schedule/planned_layer.h"
#include "catch.h"
#include "lower/lower_kernel.h"

using namespace tenon;
using namespace tenon_test;

namespace {

/// The shipped rows, but blocks of few rows, so that there are several.
Blueprints small_blocks() {
  Blueprints out = tenon_test::shipped_blueprints();
  for (Blueprint& b : out.rows)
    if (b.kind == "row_chain") b.cache_m = 1024;
  return out;
}

/// Queries and keys of 2 heads, and whether blocks of them have a limit of their own.
struct Heads {
  int queries, keys;
  std::string attributes;
  bool limited;
};

std::string shape(int rows, int width) {
  return "f32[1, 2, " + std::to_string(rows) + ", " + std::to_string(width) + "]";
}

/// The last kernel of the plan, as the oracle computes it.
void check_limit(const ExecutionPlan& plan, const Heads& h) {
  const std::vector<double> want = values(plan);
  const Blueprints blueprints = small_blocks();
  for (const char* level : {"portable", "x86-64-v3", "x86-64-v4", "neon"}) {
    const LoopNest nest = lower_kernel(plan.steps.back().kernel, blueprints, *isa_from_name(level));
    INFO(level << " " << h.queries << " queries, " << h.keys << " keys" << h.attributes);
    CHECK(nest.blueprint == "row_chain");
    CHECK(verify(nest).empty());
    CHECK((to_text(nest).find("columns_of_i") != std::string::npos) == h.limited);
    CHECK(error_of(values(plan, &nest), want) < 1e-6);
  }
}

void check_heads(const Heads& h) {
  const ExecutionPlan plan = planned({"q: \"" + shape(h.queries, 8) + "\", k: \"" + shape(h.keys, 8) + "\"",
                                      shape(h.keys, 5), "y = attention(q, k, F" + h.attributes + ")"},
                                     {});
  REQUIRE(plan.steps.size() == 1);
  check_limit(plan, h);
}

/// The gradients of attention, weighed by F, with respect to its operands.
void check_gradients(const Heads& h) {
  const std::string main = "a = attention(q, k, v" + h.attributes + ")\n  dq, dk, dv = grad(sum(tanh(a)*F), q, k, v)";
  const ExecutionPlan plan =
      planned({"q: \"" + shape(h.queries, 8) + "\", k: \"" + shape(h.keys, 8) + "\", v: \"" + shape(h.keys, 5) + "\"",
               shape(h.queries, 5), main, "dq, dk, dv"},
              {});
  CHECK(std::count_if(plan.steps.back().kernel.tensors.begin(), plan.steps.back().kernel.tensors.end(),
                      [](const Tensor& t) { return t.role == Role::Output; }) == 3);
  check_limit(plan, h);
}

}  // namespace

TEST_CASE("blocks of causal attention end at the last key that one of their queries sees") {
  check_heads({61, 61, ", causal=true", true});
  check_heads({40, 77, ", causal=true", true});
  check_heads({50, 31, ", causal=true", true});  // the first queries see no key
}

TEST_CASE("blocks of its gradients end there too", "[slow]") {
  check_gradients({61, 61, ", causal=true", true});
  check_gradients({40, 77, ", causal=true", true});
  check_gradients({50, 31, ", causal=true", true});
  check_gradients({40, 77, "", false});
}

TEST_CASE("attention to all keys has no limit") { check_heads({40, 77, "", false}); }
