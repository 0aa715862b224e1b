// Which packs of an op a call may see in another order than the definition writes their dimensions.
#pragma once

#include <string>

#include "ir/kernel/library.h"

namespace tenon {

/// What a call may do with the dimensions of a collapsed pack.
enum class PackFreedom : uint8_t {
  none,
  permuted,  ///< its elements are only reduced, so their order does not matter
  moved,     ///< each element of it is computed alone: a dimension may be in any such pack, in any order
};

PackFreedom freedom_of(const LibraryOp& op, const std::string& pack);

}  // namespace tenon
