// The values that a region reads and makes.
#include "ir/graph/region.h"

namespace tenon {
namespace {

void add(std::vector<ValueId>& list, ValueId v) {
  if (v != kNoValue) list.push_back(v);
}

}  // namespace

std::vector<ValueId> read_by(const Region& region) {
  std::vector<ValueId> out;
  for (const ValueId v : {region.count, region.starts, region.condition}) add(out, v);
  for (const Carried& c : region.carried) add(out, c.initial);
  for (const Slice& s : region.reads) add(out, s.whole);
  return out;
}

std::vector<ValueId> made_inside(const Region& region) {
  std::vector<ValueId> out;
  for (const Carried& c : region.carried) add(out, c.inside);
  for (const Slice& s : region.reads) add(out, s.part);
  return out;
}

std::vector<ValueId> handed_on(const Region& region) {
  std::vector<ValueId> out;
  add(out, region.continues);
  for (const Carried& c : region.carried) add(out, c.next);
  for (const Slice& s : region.writes) add(out, s.part);
  for (const BranchResult& r : region.results) add(out, r.inside);
  return out;
}

std::vector<ValueId> results_of(const Region& region) {
  std::vector<ValueId> out;
  for (const Carried& c : region.carried) add(out, c.result);
  for (const Slice& s : region.writes) add(out, s.whole);
  for (const BranchResult& r : region.results) add(out, r.result);
  return out;
}

}  // namespace tenon
