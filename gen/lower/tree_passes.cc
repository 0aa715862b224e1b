// The table of tree passes.
#include "lower/tree_passes.h"

#include "lower/find_transposes.h"
#include "lower/mark_parallel.h"
#include "lower/plan_prefetch.h"
#include "lower/plan_vectors.h"
#include "lower/reuse_outputs.h"

namespace tenon {

std::span<const TreePass> tree_passes() {
  static constexpr TreePass passes[] = {
      {"reuse-outputs", [](const LowerContext& c, LoopTree& t) { reuse_outputs(c.kernel, t); }},
      {"find-transposes", [](const LowerContext& c, LoopTree& t) { find_transposes(c.kernel, c.isa, t); }},
      {"plan-vectors", [](const LowerContext& c, LoopTree& t) { plan_vectors(c.kernel, c.isa, c.blueprints, t); }},
      {"plan-prefetch", [](const LowerContext& c, LoopTree& t) { plan_prefetch(c.kernel, c.isa, c.blueprints, t); }},
      {"mark-parallel", [](const LowerContext& c, LoopTree& t) { mark_parallel(c.kernel, t); }},
  };
  return passes;
}

}  // namespace tenon
