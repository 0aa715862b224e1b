// Run-time cases of a kernel that deserve code of their own: strides of 1 and 0, a last dimension of 1, flags.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "ir/kernel/kernel.h"
#include "ir/nest/isa.h"

namespace tenon {

/// Where `holds` is true at run time `then` does the same as the kernel, else `otherwise` does.
struct Fork {
  Expr holds;  ///< over sizes and attributes
  Kernel then;
  Kernel otherwise;
  bool otherwise_scalar = false;  ///< vectors would not pay in it
  bool for_speed = false;         ///< `otherwise` is right where `holds` is true as well
  bool joins_rows = false;        ///< `then` is of use only where it takes rows together
};

/// Rows that are this long take longer than the fold of a vector of theirs: they go one by one.
inline constexpr int64_t kLongRow = 512;

/// The kernel where these sizes are these numbers.
Kernel with_sizes(const Kernel& k, const std::map<std::string, int64_t>& sizes);

/// The next fork that pays for this kernel on this level; nothing when there is none left.
std::optional<Fork> next_fork(const Kernel&, const Isa&);

}  // namespace tenon
