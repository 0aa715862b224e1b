// Tensors of a kernel whose elements are known when the code is generated.
#pragma once

#include <memory>
#include <string>

#include "ir/kernel/kernel.h"

namespace tenon {

/// `name`, or a name like it that no tensor of the kernel has.
std::string unused_tensor_name(const Kernel& kernel, const std::string& name);

/// The tensor of the kernel that has these elements: one that is there already, or a new one.
int constant_tensor(Kernel& kernel, const std::string& name, const std::shared_ptr<const TensorData>& data);

}  // namespace tenon
