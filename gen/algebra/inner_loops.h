// The widths of the innermost loops of a nest, and the reasons for scalar ones.
#pragma once

#include <string>
#include <vector>

#include "ir/nest/loop_nest.h"

namespace tenon {

struct InnerLoop {
  std::string var;
  int lanes = 1;            ///< elements that one instruction takes at most
  bool contiguous = false;  ///< of a scalar loop: it goes through memory element by element, without strides
  bool rest = false;        ///< of a scalar loop: what a loop over vectors in front of it leaves
  std::string why;          ///< of a scalar loop: what keeps it from vectors
};

/// The innermost loops of a nest and of its functions, in the order of the text. C templates are one scalar loop each.
std::vector<InnerLoop> inner_loops(const LoopNest& nest);

}  // namespace tenon
