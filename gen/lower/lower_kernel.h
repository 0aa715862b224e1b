// The door of lowering: what a kernel does on one ISA level, as a loop nest.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/blueprint.h"
#include "ir/isa.h"
#include "ir/kernel.h"
#include "ir/loop_nest.h"

namespace tenon {

/// Called with the name of each pass and a way to print what it left.
using LowerObserver = std::function<void(std::string_view pass, const std::function<std::string()>& text)>;

/// The passes of lowering in order: of kernels, then of loop trees. A kernel with forks runs them once a case.
std::vector<std::string_view> lowering_passes();

/// The body of `kernel` at level `isa`. Correct for every kernel; the blueprints say how fast ones are shaped.
LoopNest lower_kernel(const Kernel& kernel, const Blueprints& blueprints, const Isa& isa, const LowerObserver& observe = {});
/// True when the level's own body differs from the portable one in speed: vectors, or fused multiply-adds in a reduction.
bool gains(const Kernel& kernel, const Isa& isa);

}  // namespace tenon
