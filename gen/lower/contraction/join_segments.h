// Bodies of kernels that are segments of another, put into one nest: buffers by name, temps with space for what any
// segment needs.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "ir/nest/loop_nest.h"
#include "lower/nest/rename_nest.h"

namespace tenon {

/// Where a body is written to: buffers of the nest, found by name, and its functions.
struct NestTarget {
  std::vector<Buffer>& buffers;
  std::vector<InnerFunction>& functions;
};

/// The buffer of a temp, with space for so many elements.
int keep_temp(const Tensor& temp, const Operand& elements, NestTarget target);

/// Numbers of a segment's buffers and functions in the nest; what the nest lacks is added. `sizes`: what sizes of
/// segments are at most.
NestRenaming adopt_segment(const Kernel& segment, const std::vector<Buffer>& buffers,
                           const std::vector<InnerFunction>& functions, const std::map<std::string, Operand>& sizes,
                           NestTarget target);

/// The buffers that the loops of a kernel begin with: one a tensor.
std::vector<Buffer> tensor_buffers(const Kernel& kernel);

/// `name`, or that with `_2` after it, which nothing in `taken` is called; it is taken then.
std::string take_fresh(std::set<std::string>& taken, std::string name);

/// The body with sizes of segments as variables of the nest around it.
Block with_variables(const Block& body, const std::map<std::string, Operand>& sizes, NestTarget target);

}  // namespace tenon
