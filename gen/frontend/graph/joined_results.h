// Results of two branches whose extents differ: both are made as large as the greater one, and what the taken branch
// gave is cut out of that.
#pragma once

#include <vector>

#include "frontend/graph/graph_builder.h"

namespace tenon {

/// Numbers where all of the extents are known.
AttrValue extents(const std::vector<SizeExpr>& dims);

/// A branch of which all is read, and what it hands on.
struct OpenBranch {
  RegionId region = kTopLevel;
  std::vector<ValueId> made;
};

/// The extents of a result that holds what either branch gives.
struct JoinedResult {
  std::vector<SizeExpr> dims;
  std::vector<size_t> open;  ///< axes in which the two differ, or which only a branch knows
};

/// Whether the results of both, as many each, have the same element types and ranks.
bool may_join(const GraphBuilder& builder, const OpenBranch& a, const OpenBranch& b);

/// What both hand on, as many results each. Throws GraphError where two differ in more than extents.
std::vector<JoinedResult> joined_results(const GraphBuilder& builder, const OpenBranch& a, const OpenBranch& b);

/// In a branch: its values with elements after them up to the joined extents; then for each open axis 1 (u8) for its
/// elements that are there.
std::vector<ValueId> widened(GraphBuilder& builder, const std::vector<ValueId>& made,
                             const std::vector<JoinedResult>& joined);

/// Outside: the elements that are there. Their extents depend on data.
std::vector<ValueId> cut_to_size(GraphBuilder& builder, const std::vector<ValueId>& results,
                                 const std::vector<JoinedResult>& joined);

}  // namespace tenon
