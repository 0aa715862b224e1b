// Traffic of the steps and of the copies of loops.
#include <algorithm>

#include "algebra/nest_survey.h"
#include "ir/plan/region_runs.h"
#include "schedule/plan_memory.h"

namespace tenon {
namespace {

class ArenaCounter {
 public:
  ArenaCounter(const ExecutionPlan& plan, const LoweredLevel& level) : plan_(plan), level_(level) {
    out_.buffers.assign(plan.buffers.size(), 0.0);
    out_.workspace.assign(plan.steps.size(), 0.0);
  }

  ArenaTraffic run() {
    for (size_t s = 0; s < plan_.steps.size(); ++s) step(s);
    for (size_t id = 0; id < plan_.regions.size(); ++id) region(static_cast<RegionId>(id));
    for (const PlanState& s : plan_.state)
      if (!is_in_place(plan_, s)) add(s.next, bytes_of_buffer(s.next));
    return std::move(out_);
  }

 private:
  double bytes_of_buffer(int b) const { return static_cast<double>(plan_.buffer(b).bytes); }

  void add(int b, double bytes) {
    if (b < 0) return;
    const auto root = static_cast<size_t>(root_of(plan_, b));
    if (plan_.buffers[root].kind == BufferKind::Arena) out_.buffers[root] += bytes;
  }

  void step(size_t s) {
    const PlanStep& step = plan_.steps[s];
    const LoopNest& nest = level_.steps[step.twin >= 0 ? static_cast<size_t>(step.twin) : s].nest;
    const std::vector<double> moved = bytes_moved(nest);
    const double times = runs_of(plan_, step.region);
    std::vector<double> tensors(step.buffers.size(), 0.0);
    double workspace = 0;
    for (size_t i = 0; i < nest.buffers.size(); ++i) {
      const Buffer& b = nest.buffers[i];
      if (b.storage == Storage::Workspace) workspace += moved[i];
      if (b.storage == Storage::Tensor && b.tensor >= 0 && static_cast<size_t>(b.tensor) < tensors.size())
        tensors[static_cast<size_t>(b.tensor)] += moved[i];
    }
    for (size_t t = 0; t < tensors.size(); ++t)
      if (const int b = step.buffers[t]; b >= 0) add(b, times * std::max(tensors[t], bytes_of_buffer(b)));
    out_.workspace[s] = times * std::max(workspace, static_cast<double>(step.scratch));
  }

  void region(RegionId id) {
    const PlanRegion& r = plan_.region(id);
    const double inside = runs_of(plan_, id), around = runs_of(plan_, r.parent);
    for (const int b : {r.count, r.starts, r.continues})
      if (b >= 0) add(b, inside * bytes_of_buffer(b));
    if (r.condition >= 0) add(r.condition, around * bytes_of_buffer(r.condition));
    for (const PlanCopy& c : r.before)
      for (const int b : {c.to, c.from}) add(b, around * bytes_of_buffer(c.to));
    for (const PlanCopy& c : r.after)
      for (const int b : {c.to, c.from}) add(b, inside * bytes_of_buffer(c.to));
  }

  const ExecutionPlan& plan_;
  const LoweredLevel& level_;
  ArenaTraffic out_;
};

}  // namespace

ArenaTraffic arena_traffic(const ExecutionPlan& plan, const LoweredLevel& level) {
  return ArenaCounter(plan, level).run();
}

}  // namespace tenon
