// Where bodies are written to.
#pragma once

#include <vector>

#include "ir/nest/loop_nest.h"

namespace tenon {

/// Buffers of the nest, found by name, and its functions.
struct NestTarget {
  std::vector<Buffer>& buffers;
  std::vector<InnerFunction>& functions;
  bool is_function = false;  ///< the body is one of these, which do not call each other
};

}  // namespace tenon
