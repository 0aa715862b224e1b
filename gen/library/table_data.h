// Tables of a definition and other constant tensors of kernels.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "ir/kernel/kernel.h"
#include "ir/number/tensor_data.h"
#include "ir/op/op_def.h"
#include "library/scope.h"
#include "support/diagnostics.h"

namespace tenon {

/// The elements of the table where the type variables are `types`, in its own type. Null after an error.
std::shared_ptr<const TensorData> table_data(const OpLibrary& library, const OpDef& def, const TableDef& table,
                                             const std::map<std::string, DType>& types, Diagnostics& diagnostics);

/// The same elements in the type that they are computed in: f16 as f32, small types as what they are read as.
std::shared_ptr<const TensorData> in_compute_type(const std::shared_ptr<const TensorData>& data);

/// `name`, or a name like it that no tensor of the kernel has.
std::string unused_tensor_name(const Kernel& kernel, const std::string& name);

/// The tensor of the kernel that has these elements: one that is there already, or a new one.
int constant_tensor(Kernel& kernel, const std::string& name, const std::shared_ptr<const TensorData>& data);

/// Tables that only expressions read are in the type in which they are computed with, those that calls are given in
/// their own.
void declare_tables(const OpLibrary& library, Scope& scope, Kernel& kernel, Diagnostics& diagnostics);

}  // namespace tenon
