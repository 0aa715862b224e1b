// The statements of a kernel's cases.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lower/contraction/join_segments.h"
#include "lower/kernel_cases.h"

namespace tenon {

/// The body with its forks: each case has loops of its own. `taken`: names of the block that it is added to.
Block body_of(const PlannedCase& p, const Isa& isa, NestTarget to, const std::vector<std::string>& taken = {});
/// The checks of a kernel, and the functions that they call: those have vectors.
struct WrittenChecks {
  Block body;
  std::vector<InnerFunction> functions;
};
WrittenChecks checks_of(const Kernel& k, const Isa& isa);
/// Adds the notes on the statements of all cases, each line once.
void collect_notes(const PlannedCase& p, std::vector<std::string>& out);
/// A body that begins with a comment about its blueprint.
Block described(std::string_view what, Block body);

}  // namespace tenon
