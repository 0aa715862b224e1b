// Tables of a definition → their elements, computed when the code is generated.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "ir/number/tensor_data.h"
#include "ir/op/op_def.h"
#include "support/diagnostics.h"

namespace tenon {

/// The elements of the table where the type variables are `types`, in its own type. Null after an error.
std::shared_ptr<const TensorData> table_data(const OpLibrary& library, const OpDef& def, const TableDef& table,
                                             const std::map<std::string, DType>& types, Diagnostics& diagnostics);

/// The same elements in the type that they are computed in: f16 as f32, small types as what they are read as.
std::shared_ptr<const TensorData> in_compute_type(const std::shared_ptr<const TensorData>& data);

}  // namespace tenon
