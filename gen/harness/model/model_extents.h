// The extents of a plan's tensors as C.
#pragma once

#include "ir/nest/c_ast.h"
#include "ir/plan/execution_plan.h"

namespace tenon {

/// An extent: run-time sizes are fields of `in`, those that steps write elements of `written`, counters of loops are
/// variables.
CExpr extent_value(const ExecutionPlan& plan, const SizeExpr& extent);
/// The condition under which extents that have to be equal are not: `a != b`, or `b < 0` where a is the maximum of b
/// and 0.
CExpr extents_differ(const ExecutionPlan& plan, const EqualExtents& e);

}  // namespace tenon
