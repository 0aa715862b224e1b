// Loops that go over one run of memory.
#pragma once

#include "ir/kernel/kernel.h"

namespace tenon {

/// An element of a tensor and its new value.
struct ElementValue {
  int tensor;
  const std::vector<Expr>& index;
  const Expr& value;
};

/// Whether elements that loop `outer` around loop `inner` goes over are one run of memory, in all that it touches.
bool go_over_one_run(const Kernel&, const LoopVar& outer, const LoopVar& inner, const ElementValue&);

/// The same for a value alone, which uses the variables of both loops for nothing else.
bool reads_one_run(const Kernel&, const LoopVar& outer, const LoopVar& inner, const Expr& value);

}  // namespace tenon
