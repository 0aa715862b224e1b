// Results of two branches whose extents differ: both are padded to the larger extents, and the result of the taken
// branch is sliced out.
#pragma once

#include <vector>

#include "frontend/graph/graph_builder.h"

namespace tenon {

/// Numbers where all of the extents are known.
AttrValue extents(const std::vector<SizeExpr>& dims);

/// A branch that was read completely, and its results.
struct OpenBranch {
  RegionId region = kTopLevel;
  std::vector<ValueId> made;
};

/// The extents of a result that can hold the result of either branch.
struct JoinedResult {
  std::vector<SizeExpr> dims;
  std::vector<size_t> open;  ///< axes in which the two differ, or which only a branch knows
};

/// Whether the results of both, as many each, have the same element types and ranks.
bool may_join(const GraphBuilder& builder, const OpenBranch& a, const OpenBranch& b);

/// The results of both, equally many. Throws GraphError if two differ in more than extents.
std::vector<JoinedResult> joined_results(const GraphBuilder& builder, const OpenBranch& a, const OpenBranch& b);

/// In a branch: its values padded to the joined extents; then, for each open axis, u8 flags that are 1 for existing
/// elements.
std::vector<ValueId> widened(GraphBuilder& builder, const std::vector<ValueId>& made,
                             const std::vector<JoinedResult>& joined);

/// Outside: the existing elements. Their extents depend on data.
std::vector<ValueId> cut_to_size(GraphBuilder& builder, const std::vector<ValueId>& results,
                                 const std::vector<JoinedResult>& joined);

}  // namespace tenon
