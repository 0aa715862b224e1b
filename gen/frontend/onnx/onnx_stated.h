// Carries the shapes that an ONNX file states for some values back over operators that work element by element.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "frontend/onnx/onnx.pb.h"
#include "frontend/onnx/onnx_table.h"
#include "ir/graph/size_expr.h"

namespace tenon {

/// Adds to `stated` what follows from it: operands that have dims are taken to have the shape of the result. That is a
/// guess where an operand is stretched, so a recipe that relies on it has its numbers compared at run time. The table
/// says which operators work element by element.
void carry_stated_shapes(const tenon_onnx::GraphProto& graph, const OnnxTable& table,
                         std::map<std::string, std::vector<SizeExpr>>& stated);

}  // namespace tenon
