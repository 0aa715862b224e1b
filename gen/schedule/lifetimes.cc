// When each buffer is needed.
#include <algorithm>

#include "schedule/pack_blocks.h"

namespace tenon {
namespace {

/// The steps of each region.
std::vector<Lifetime> spans(const ExecutionPlan& plan) {
  std::vector<Lifetime> out(plan.regions.size());
  for (size_t s = 0; s < plan.steps.size(); ++s)
    for (RegionId r = plan.steps[s].region; r != kTopLevel; r = plan.region(r).parent) {
      Lifetime& l = out[static_cast<size_t>(r)];
      if (l.last < l.first) l.first = static_cast<int>(s);
      l.last = static_cast<int>(s);
    }
  return out;
}

class LifetimeFinder {
 public:
  explicit LifetimeFinder(const ExecutionPlan& plan) : plan_(plan), spans_(spans(plan)), out_(plan.buffers.size()) {}

  std::vector<Lifetime> run() {
    for (size_t s = 0; s < plan_.steps.size(); ++s)
      for (const int b : plan_.steps[s].buffers) touch(b, static_cast<int>(s), plan_.steps[s].region);
    for (size_t id = 0; id < plan_.regions.size(); ++id) {
      const PlanRegion& r = plan_.regions[id];
      const Lifetime& span = spans_[id];
      for (const int b : {r.count, r.starts, r.condition}) touch(b, span.first, r.parent);
      for (const PlanCopy& c : r.before) touch(c.to, span.first, r.parent), touch(c.from, span.first, r.parent);
      touch(r.count, span.last, r.parent);
      touch(r.continues, span.last, static_cast<RegionId>(id));
      for (const PlanCopy& c : r.after)
        touch(c.to, span.last, static_cast<RegionId>(id)), touch(c.from, span.last, static_cast<RegionId>(id));
    }
    const int end = static_cast<int>(plan_.steps.size()) - 1;
    for (const PlanState& s : plan_.state) touch(s.next, end, kTopLevel);
    return out_;
  }

 private:
  static void widen(Lifetime& l, int first, int last) {
    l.first = l.last < l.first ? first : std::min(l.first, first);
    l.last = std::max(l.last, last);
  }

  /// Values from outside a loop are needed in every iteration.
  void touch(int b, int step, RegionId region) {
    if (b < 0) return;
    b = root_of(plan_, b);
    Lifetime& l = out_[static_cast<size_t>(b)];
    widen(l, step, step);
    for (RegionId r = region; !lies_in(plan_.regions, plan_.buffer(b).region, r); r = plan_.region(r).parent)
      widen(l, spans_[static_cast<size_t>(r)].first, spans_[static_cast<size_t>(r)].last);
  }

  const ExecutionPlan& plan_;
  const std::vector<Lifetime> spans_;
  std::vector<Lifetime> out_;
};

}  // namespace

std::vector<Lifetime> lifetimes(const ExecutionPlan& plan) { return LifetimeFinder(plan).run(); }

namespace {

/// The bytes in use at each step by the buffers for which `counts` holds.
template <class Counts>
std::vector<int64_t> live_where(const ExecutionPlan& plan, const Counts& counts) {
  std::vector<int64_t> live(plan.steps.size(), 0);
  const std::vector<Lifetime> life = lifetimes(plan);
  for (size_t i = 0; i < plan.buffers.size(); ++i)
    if (plan.buffers[i].kind == BufferKind::Arena && counts(plan.buffers[i].memory))
      for (int s = life[i].first; s <= life[i].last; ++s)
        live[static_cast<size_t>(s)] += aligned(plan.buffers[i].bytes);
  for (size_t s = 0; s < plan.steps.size(); ++s)
    if (counts(plan.steps[s].scratch_memory)) live[s] += aligned(plan.steps[s].scratch);
  return live;
}

}  // namespace

std::vector<int64_t> live_bytes(const ExecutionPlan& plan) {
  return live_where(plan, [](int) { return true; });
}

std::vector<int64_t> live_bytes(const ExecutionPlan& plan, size_t memory) {
  return live_where(plan, [memory](int m) { return m == static_cast<int>(memory); });
}

}  // namespace tenon
