// Regions: the parts of a graph that are executed several times, or only under a condition.
//
//   loop   := counter '<' trip, carried, slices read and written     the body runs for counter = 0, 1, … trip - 1
//   branch := condition, whether it has to hold, results             two of them, one after the other, make the same
//   results
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/graph/size_expr.h"

namespace tenon {

/// Position in Graph::values.
using ValueId = int32_t;
/// Stands for an absent value: an optional input of a node, a condition of a loop.
inline constexpr ValueId kNoValue = -1;
/// Position in Graph::regions.
using RegionId = int32_t;
/// The region of nodes that are executed once.
inline constexpr RegionId kTopLevel = -1;

/// Two extents that an operator requires to be equal and that generation cannot compare: a call in which they differ is
/// refused.
struct EqualExtents {
  SizeExpr a, b;
  bool operator==(const EqualExtents&) const = default;
};

/// A value that one iteration passes to the next. All four have the same type.
struct Carried {
  ValueId initial = kNoValue;  // from outside: the value in the first iteration
  ValueId inside = kNoValue;   // the value inside an iteration
  ValueId next = kNoValue;     // the value for the next iteration
  ValueId result = kNoValue;   // outside: the value after the last iteration
};

/// A tensor outside, and its part at one position of axis 0 inside: the counter's, or trip - 1 - counter if `reversed`,
/// count - 1 - counter in a loop that has a count.
struct Slice {
  ValueId whole = kNoValue;
  ValueId part = kNoValue;
  bool reversed = false;
};

/// A value inside a branch that becomes a value outside if the branch is taken.
struct BranchResult {
  ValueId inside = kNoValue;
  ValueId result = kNoValue;
};

/// What regions of a graph and of a plan have in common. Values are positions in Graph::values or
/// ExecutionPlan::buffers.
struct RegionHead {
  enum class Kind { loop, branch };
  Kind kind = Kind::loop;
  RegionId parent = kTopLevel;
  std::string origin;               // as Node::origin
  std::vector<EqualExtents> equal;  // checked whenever the region is entered: those of operators that run only there

  // Of a loop.
  std::string counter;           // name of the iteration's number: a size that exists inside
  SizeExpr trip;                 // iterations; the maximum number of them where one of the next three is there
  ValueId count = kNoValue;      // i64 scalar from outside: iterations at most
  ValueId starts = kNoValue;     // bool scalar from outside: whether there is a first iteration
  ValueId continues = kNoValue;  // bool scalar made inside: whether there is another iteration
  bool partial = false;          // if fewer of them run, nothing reads the unwritten rest

  // Of a branch: the one that holds is before the other, with the same condition and the same results.
  ValueId condition = kNoValue;  // bool scalar from outside
  bool holds = true;

  bool ends_early() const { return count != kNoValue || starts != kNoValue || continues != kNoValue; }
};

struct Region : RegionHead {
  // Of a loop.
  std::vector<Carried> carried;
  std::vector<Slice> reads;   // `part` is a value that the loop makes from `whole`
  std::vector<Slice> writes;  // `whole` is [trip, …] and is made from the parts of all iterations

  // Of a branch.
  std::vector<BranchResult> results;
};

/// The iterations of loops without a bound: more than any machine executes.
inline constexpr int64_t kUnboundedTrip = int64_t{1} << 40;

/// Values from outside that the region itself reads: initial values, whole tensors that are sliced, conditions.
std::vector<ValueId> read_by(const Region& region);
/// Values that the region makes for its inside: what iterations see.
std::vector<ValueId> made_inside(const Region& region);
/// Values made inside that the region returns.
std::vector<ValueId> handed_on(const Region& region);
/// Values that the region makes for its outside.
std::vector<ValueId> results_of(const Region& region);
/// Calls `f(ValueId&)` for every value that the region names.
template <class F>
void for_each_value(Region& region, const F& f) {
  for (ValueId* v : {&region.count, &region.starts, &region.continues, &region.condition}) f(*v);
  for (Carried& c : region.carried) f(c.initial), f(c.inside), f(c.next), f(c.result);
  for (std::vector<Slice>* list : {&region.reads, &region.writes})
    for (Slice& s : *list) f(s.whole), f(s.part);
  for (BranchResult& r : region.results) f(r.inside), f(r.result);
}

/// Whether `inner` is `outer` or is in it. `regions` is a list of Region, or of anything else that has a parent.
template <class Regions>
bool lies_in(const Regions& regions, RegionId inner, RegionId outer) {
  for (RegionId r = inner; r != kTopLevel; r = regions[static_cast<size_t>(r)].parent)
    if (r == outer) return true;
  return outer == kTopLevel;
}

/// The regions that end and begin between two neighbours in a list of nodes or steps: ending ones from the inside out,
/// beginning ones from the outside in.
struct RegionChange {
  std::vector<RegionId> left;
  std::vector<RegionId> entered;
};
template <class Regions>
RegionChange region_change(const Regions& regions, RegionId from, RegionId to) {
  RegionChange change;
  for (RegionId r = from; !lies_in(regions, to, r); r = regions[static_cast<size_t>(r)].parent)
    change.left.push_back(r);
  for (RegionId r = to; !lies_in(regions, from, r); r = regions[static_cast<size_t>(r)].parent)
    change.entered.insert(change.entered.begin(), r);
  return change;
}

}  // namespace tenon
