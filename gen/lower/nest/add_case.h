// A nest with a body in front of its own, for calls of which a condition holds.
#pragma once

#include "ir/kernel/expr.h"
#include "ir/nest/loop_nest.h"

namespace tenon {

/// The workspace that a call has to bring where a case and the nest both need some.
enum class CaseWorkspace : uint8_t {
  common,   ///< as much as either needs
  by_call,  ///< as much as the body needs that runs
};

/// Adds the body of `one`, lowered for the same level from a kernel with the same tensors: it runs where `holds`, over
/// sizes and attributes, is true.
void add_case(const Expr& holds, const LoopNest& one, CaseWorkspace workspace, LoopNest& nest);

}  // namespace tenon
