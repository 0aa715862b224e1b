// Rewritings of a loop tree, in the order of the table: where temps live, which loops are vectors.
#pragma once

#include <span>
#include <string_view>

#include "ir/nest/blueprint.h"
#include "ir/nest/isa.h"
#include "lower/tree/loop_tree.h"

namespace tenon {

struct LowerContext {
  const Kernel& kernel;
  const Isa& isa;
  const Blueprints& blueprints;
};

struct TreePass {
  std::string_view name;
  void (*run)(const LowerContext&, LoopTree&);
};

/// The passes by name, in order.
std::span<const TreePass> tree_passes();

}  // namespace tenon
