// The nests of a kernel's parts → the nest of the kernel.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/nest/isa.h"
#include "ir/nest/loop_nest.h"

namespace tenon {

/// One nest a part, in order, as one function. What a part makes for a later one is in the workspace; an extent that a
/// part finds is a variable from there on, and space for its bound is reserved. The parts are for one element of
/// `repeated`, extents that some tensors have, and are done for each: loops go over them, outermost first.
LoopNest join_parts(const std::shared_ptr<const Kernel>& kernel, const std::vector<LoopNest>& parts, const Isa& isa,
                    const std::vector<std::string>& repeated = {});

}  // namespace tenon
