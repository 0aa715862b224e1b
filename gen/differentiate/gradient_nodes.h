// The values and nodes that a reverse sweep adds to a graph.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph/graph.h"
#include "support/c_names.h"

namespace tenon {

/// The operators of one region's gradient, and the gradients of the forward graph's values that they have made so far.
struct GradientBlock {
  RegionId region = kTopLevel;
  std::vector<Node> nodes = {};
  std::map<ValueId, std::vector<ValueId>> adjoints = {};  // to be summed
};

/// Adds them under names that no others have. `asks` is the node that asks for gradients.
class GradientNodes {
 public:
  GradientNodes(Graph& graph, Node asks);

  Value& value(ValueId v) { return graph_.value(v); }
  Region& region(RegionId r) { return graph_.region(r); }
  /// The region in which a value is made.
  RegionId home_of(ValueId v) const { return home_[static_cast<size_t>(v)]; }
  std::string adjoint_name(ValueId of) { return "d_" + value(of).name; }

  ValueId new_value(const std::string& base, DType dtype, std::vector<SizeExpr> dims, RegionId home);
  ValueId like(const std::string& base, ValueId of, RegionId home) {
    return new_value(base, value(of).dtype, value(of).dims, home);
  }
  /// Returns the node's first output.
  ValueId add_node(GradientBlock& block, Node node);
  ValueId add_node(GradientBlock& block, const std::string& op, std::vector<ValueId> inputs,
                   std::vector<ValueId> outputs, Attributes attrs = {});
  /// A tensor of the shape of `of` that is `number` everywhere.
  ValueId filled(GradientBlock& block, ValueId of, int64_t number);
  /// Whether a loop reads or writes the value of each iteration in reversed order; nothing where it does neither.
  std::optional<bool> known_order(ValueId v, RegionId loop) const;
  /// What has the value of each iteration of a loop, [trip, …], in this order; the loop writes it if need be.
  Slice in_all_iterations(ValueId v, RegionId loop, bool reversed);
  /// [trip, rows, …] as [trip*rows, …].
  ValueId rows_of_all(GradientBlock& block, ValueId v);
  /// The gradient of a value of which all uses have been seen; kNoValue where no value asked for leads to it.
  ValueId adjoint(GradientBlock& block, ValueId of);

 protected:
  Graph& graph_;
  const Node asks_;
  CNames value_names_, node_names_;

 private:
  std::vector<RegionId> home_;  // of each value
};

}  // namespace tenon
