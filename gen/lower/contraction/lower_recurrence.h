// Recurrences over products: panels once, then at every step the products of its rows with them and the statements
// between.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/nest/blueprint.h"
#include "ir/nest/isa.h"
#include "lower/contraction/join_segments.h"
#include "lower/contraction/recurrence_steps.h"

namespace tenon {

struct LoweredRecurrence {
  std::string blueprint;
  Operand pays;  ///< whether there are rows enough to pay for the panels; a constant where sizes are known
  Block body;
};

/// Lowers the statements that are not products; declares none of the names.
using LowerSteps = std::function<Block(const Kernel&, std::vector<Buffer>&, const std::vector<std::string>& taken)>;

/// The segments of a recurrence; nothing where a segment cannot be expressed, and the target is as before.
std::optional<LoweredRecurrence> lower_recurrence(const SteppedKernel& recurrence, const Isa& isa,
                                                  const Blueprints& blueprints, const LowerSteps& loops,
                                                  NestTarget target);

}  // namespace tenon
