// The text of a kernel after one of the passes of lowering: `tenon dump lower/NAME`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/kernel/kernel.h"
#include "ir/nest/blueprint.h"
#include "ir/nest/isa.h"

namespace tenon {

/// The passes over kernels, `loops`, and the passes over loops, in the order in which they run.
const std::vector<std::string_view>& lowering_passes();

/// The kernel (before `loops`), or its loops, after the pass: each of its cases below the condition that it is for.
/// `pass` is one of lowering_passes().
std::string text_after_pass(std::string_view pass, const Kernel& kernel, const Blueprints& blueprints, const Isa& isa);

}  // namespace tenon
