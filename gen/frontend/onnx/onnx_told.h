// Inputs whose values are assumed to be known because the extents in the file determine them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "frontend/onnx/onnx.pb.h"
#include "frontend/onnx/onnx_node.h"
#include "frontend/onnx/onnx_table.h"
#include "ir/graph/size_expr.h"

namespace tenon {

/// By the names of inputs their elements, some of them numbers and the others names of unknown sizes.
using ToldInputs = std::map<std::string, std::vector<SizeExpr>>;

/// Whether a tensor is small enough, and of a type, to say extents.
bool may_say_extents(DType dtype, const std::vector<SizeExpr>& dims);
/// A name for each element of such a tensor; no identifier in a file is spelled like this.
std::vector<SizeExpr> element_names(const Value& input);
/// Larger values are not searched for unknown sizes.
inline constexpr int64_t kMaximumTold = int64_t{1} << 31;

/// `output` as long as the condition, a bool, holds at run time; otherwise a range error.
ValueId only_if(const OnnxNodeContext& context, ValueId output, ValueId condition);

/// Of each tensor the first `count` elements of axis 0, a run-time number that is at most the extent there.
std::vector<ValueId> cut_to_count(const OnnxNodeContext& context, const std::vector<ValueId>& tensors, ValueId count);

/// `output` as long as the known ones of `elements` are those of `given` at run time; otherwise a range error.
ValueId only_if_told(GraphBuilder& builder, const OnnxTable& table, ValueId given,
                     const std::vector<SizeExpr>& elements, ValueId output);

/// Adds to `stated` what follows from it: operands that have dims are taken to have the shape of the result. That is a
/// guess where an operand is stretched, so a recipe that relies on it has its numbers compared at run time. The table
/// says which operators work element by element.
void carry_stated_shapes(const tenon_onnx::GraphProto& graph, const OnnxTable& table,
                         std::map<std::string, std::vector<SizeExpr>>& stated);

}  // namespace tenon
