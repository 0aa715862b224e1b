// Chains of products over the same rows (attention), a block of rows at a time.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/nest/blueprint.h"
#include "ir/nest/isa.h"
#include "ir/nest/loop_nest.h"
#include "lower/contraction/join_segments.h"
#include "lower/contraction/row_chain.h"

namespace tenon {

struct LoweredChain {
  std::string blueprint;
  Operand pays;  ///< whether there are rows enough to pay for the panels; a constant where sizes are known
  Block body;
};

/// Lowers the statements between the contractions.
using LowerLoops = std::function<Block(const Kernel&, std::vector<Buffer>&)>;

/// The statements of a chain; nothing where no blueprint `row_chain` fits or a segment cannot be expressed, and the
/// target is as before.
std::optional<LoweredChain> lower_row_chain(const ChainedKernel& chained, const Isa& isa, const Blueprints& blueprints,
                                            const LowerLoops& loops, NestTarget target);

}  // namespace tenon
