// The table of tree passes.
#include "lower/tree/tree_passes.h"

#include "lower/tree/carry_values.h"

namespace tenon {

std::span<const TreePass> tree_passes() {
  static constexpr TreePass passes[] = {
      {"reuse-outputs", [](const LowerContext& c, LoopTree& t) { reuse_outputs(c.kernel, t); }},
      {"merge-loops", [](const LowerContext& c, LoopTree& t) { merge_loops(c.kernel, t); }},
      {"find-transposes", [](const LowerContext& c, LoopTree& t) { find_transposes(c.kernel, c.isa, t); }},
      {"carry-values", [](const LowerContext& c, LoopTree& t) { carry_values(c.kernel, t); }},
      {"update-in-place", [](const LowerContext& c, LoopTree& t) { update_in_place(c.kernel, t); }},
      {"plan-vectors", [](const LowerContext& c, LoopTree& t) { plan_vectors(c.kernel, c.isa, c.blueprints, t); }},
      {"plan-prefetch", [](const LowerContext& c, LoopTree& t) { plan_prefetch(c.kernel, c.isa, c.blueprints, t); }},
      {"join-rows", [](const LowerContext& c, LoopTree& t) { join_rows(c.kernel, c.isa, t); }},
      {"mark-parallel", [](const LowerContext& c, LoopTree& t) { mark_parallel(c.kernel, t); }},
      {"skip-loops", [](const LowerContext& c, LoopTree& t) { skip_loops(c.kernel, t); }},
      {"block-sums", [](const LowerContext& c, LoopTree& t) { block_sums(c.kernel, t); }},
  };
  return passes;
}

}  // namespace tenon
