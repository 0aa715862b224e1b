// Types that an ONNX file declares for values, next to the types that follow from its nodes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontend/graph/graph_builder.h"
#include "frontend/onnx/onnx.pb.h"
#include "support/diagnostics.h"

namespace tenon {

/// The declarations of a graph's inputs, outputs and `value_info` by the names of values; a name may have several.
using DeclaredTypes = std::multimap<std::string, const tenon_onnx::TypeProto*>;

/// Adds what the graph declares. It has to outlive `declared`.
void add_declared_types(const tenon_onnx::GraphProto& graph, DeclaredTypes& declared);

/// An error in a declaration.
struct Contradiction {
  std::string text;
  bool in_shape_only = false;  // the element type agrees
};

/// Errors in the declarations of `name` if it is `value`; nothing where they may hold. A shape with extents
/// that are open says nothing: files made from larger ones keep such declarations, and some exporters guess them. An
/// extent that run time decides is compared by its range.
std::optional<Contradiction> contradiction(const DeclaredTypes& declared, const std::string& name,
                                           const TensorType& value, const std::vector<GraphSize>& sizes);

/// What to do about declarations that are wrong.
inline constexpr const char* kRenewDeclarations =
    "onnx.shape_inference makes the declarations anew where the old ones are taken out";

/// Declared shapes that differ from those of the values, mostly left over from another export. The shapes that the
/// operators imply are used, and one warning names the values.
class StaleDeclarations {
 public:
  void add(const std::string& where, const std::string& value, const std::string& text);
  void report(const std::string& file, Diagnostics& diagnostics) const;

 private:
  std::string where_, text_;         // of the first
  std::vector<std::string> values_;  // in the order in which they were found
};

}  // namespace tenon
