// How often the steps of a region run.
#pragma once

#include "ir/graph/size_bounds.h"
#include "ir/plan/execution_plan.h"

namespace tenon {

/// Iterations of all loops around a region, at most.
inline double runs_of(const ExecutionPlan& plan, RegionId id) {
  double out = 1;
  for (; id != kTopLevel; id = plan.region(id).parent) {
    const PlanRegion& r = plan.region(id);
    if (r.kind == Region::Kind::loop) out *= static_cast<double>(maximum_value(r.trip, plan.sizes).value_or(1));
  }
  return out;
}

}  // namespace tenon
