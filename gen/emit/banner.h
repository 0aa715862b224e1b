// The comment above a kernel: what it computes and how. Private to emit.
#pragma once

#include <string>

#include "ir/loop_nest.h"

namespace tenon::emit {

std::string banner_of(const LoopNest& nest);

}  // namespace tenon::emit
