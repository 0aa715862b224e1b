// The copy that an update in place begins with: one function for all kernels of a file that copy elements of that size.
#pragma once

#include <optional>
#include <vector>

#include "ir/nest/loop_nest.h"

namespace tenon {

/// A copy of all of one tensor, identified by the number of its dimensions and the elements' type alone.
struct WholeCopy {
  Kernel kernel;  ///< `copy_3d_f32`: Y[i0, i1, i2] = X[i0, i1, i2], with extents n0 … and steps s0 … of X as sizes
  std::vector<Operand> sizes;  ///< values of kernel.sizes in the kernel that copies
  int from = 0, to = 0;        ///< its tensors
};

/// The statement of `part` as such a copy; nothing where it does more, or where its extents are known.
std::optional<WholeCopy> whole_copy(const Kernel& part);
/// The function made of the copy's body, which reads buffer 0 and writes buffer 1.
InnerFunction copy_function(const WholeCopy& copy, const std::vector<Buffer>& buffers, const Block& body);
/// The call of function number `function`.
Stmt copy_call(const WholeCopy& copy, int function);

}  // namespace tenon
