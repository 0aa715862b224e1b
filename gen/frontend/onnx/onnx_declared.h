// Types that an ONNX file declares for values, next to the types that follow from its nodes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontend/graph/graph_builder.h"
#include "frontend/onnx/onnx.pb.h"

namespace tenon {

/// The declarations of a graph's inputs, outputs and `value_info` by the names of values; a name may have several.
using DeclaredTypes = std::multimap<std::string, const tenon_onnx::TypeProto*>;

/// Adds what the graph declares. It has to outlive `declared`.
void add_declared_types(const tenon_onnx::GraphProto& graph, DeclaredTypes& declared);

/// What is wrong with the declarations of `name` if it is `value`; nothing where they may hold. A shape with extents
/// that are open says nothing: files made from larger ones keep such declarations, and some exporters guess them. An
/// extent that run time decides is compared by its range.
std::optional<std::string> contradiction(const DeclaredTypes& declared, const std::string& name,
                                         const TensorType& value, const std::vector<GraphSize>& sizes);

}  // namespace tenon
