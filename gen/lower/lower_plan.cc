// Lowers each step of a plan, decides which steps workers share, and computes the total workspace.
#include "lower/lower_plan.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <optional>

#include "algebra/contraction.h"
#include "algebra/pair_depth.h"
#include "algebra/separate_iterations.h"
#include "algebra/winograd_kernel.h"
#include "ir/kernel/kernel_cost.h"
#include "ir/nest/workspace_bound.h"
#include "lower/kernel/kernel_ranges.h"
#include "lower/kernel/variants.h"
#include "lower/lower_kernel.h"
#include "lower/nest/nest_passes.h"
#include "support/check.h"
#include "support/parallel.h"
#include "support/ranges.h"

namespace tenon {
namespace {

constexpr double kFlopsPerUs = 2e4;  // rough rates of one core: 20 GFLOP/s, 30 GB/s from its caches
constexpr double kBytesPerUs = 3e4;
constexpr double kTilesPerUs = 1.5e4;  // operations of each lane in register tiles
constexpr double kWideProduct = 4;     // products of 32-bit integers take as long as so many others
constexpr double kFunction = 16;       // operations that take as long as an elementary function
constexpr double kSharedFromUs = 1.5;  // waking workers for less costs more than it saves
constexpr double kPhaseUs = 2.3;       // of a phase: waking workers, waiting for them, fetching what others wrote
constexpr double kGrainUs = 2;         // no worker takes less at once
constexpr int64_t kGapBytes = 128;     // between the memory of two workers: processors fetch lines before they are read

/// Operations of a nest in a microsecond, roughly.
double flops_per_us(const LoopNest& nest, const Isa& isa) {
  if (find_winograd(*nest.kernel)) return std::max(kFlopsPerUs, isa.lanes(DType::F32) * kTilesPerUs);
  const auto c = nest.blueprint == "loops" ? std::nullopt : find_contraction(*nest.kernel);
  if (!c) return kFlopsPerUs;
  const int lanes = isa.lanes(c->accumulator);
  const bool words = isa.row("dot2", c->accumulator, lanes) && pair_depth(*nest.kernel, *c);
  const double product = is_float(c->accumulator) || words ? 1 : kWideProduct;
  return std::max(kFlopsPerUs, lanes * kTilesPerUs / product);
}

/// The cost of one call at the upper bounds of the kernel's sizes.
std::optional<Cost> highest_cost(const Kernel& kernel) {
  std::map<std::string, int64_t> bounds;
  for (const Size& s : kernel.sizes)
    if (s.lo < s.hi && s.hi != INT64_MAX) bounds[s.name] = s.hi;
  return cost_of(bounds.empty() ? kernel : simplify_kernel(with_sizes(kernel, bounds)), kFunction);
}

/// Microseconds that a nest takes at most, roughly; nothing where its sizes have no bounds.
std::optional<double> expected_us(const LoopNest& nest, const Isa& isa) {
  const auto cost = highest_cost(*nest.kernel);
  return cost ? std::optional(cost->flops / flops_per_us(nest, isa) + cost->bytes / kBytesPerUs) : std::nullopt;
}

/// Why workers may not share the phases: it is not proved that they access disjoint memory.
std::vector<std::string> unproved(const std::vector<Phase>& phases) {
  std::vector<std::string> out;
  for (const Phase& phase : phases) {
    if (!phase.parallel) continue;
    for (const std::string& reason : find_shared_writes(phase.nest, phase.count.body))
      out.push_back(phase.nest.name + ": " + reason);
  }
  return out;
}

/// The phases of a nest, with the iterations that a worker takes at once.
std::vector<Phase> shared_phases(const LoopNest& nest, std::optional<double> us) {
  std::vector<Phase> phases = parallel_phases(nest);
  for (Phase& phase : phases) {
    if (!phase.parallel || !us) continue;
    const auto most = phase.iterations ? phase.iterations : maximum_iterations(phase.count);
    if (!most || *most <= 0) continue;
    phase.grain = std::clamp<int64_t>(static_cast<int64_t>(kGrainUs * static_cast<double>(*most) / *us), phase.grain,
                                      std::max<int64_t>(phase.grain, *most / 2));
  }
  return phases;
}

/// The phases that workers share, or none and the reason.
void share(const PlanStep& step, const Isa& isa, LoweredStep& lowered) {
  const auto us = expected_us(lowered.nest, isa);
  const auto keep = [&](std::string reason) { lowered.one_thread.push_back(std::move(reason)); };
  if (!step.kernel.parts.empty()) return keep("its parts are called one after the other");
  if (us && *us < kSharedFromUs)
    return keep(fmt::format("it takes about {:.1f} us, and waking workers pays from {} us on", *us, kSharedFromUs));
  std::vector<Phase> phases = shared_phases(lowered.nest, us);
  if (phases.empty()) return keep("it has no loop whose iterations are independent");
  lowered.one_thread = unproved(phases);
  if (!lowered.one_thread.empty()) return;
  for (size_t i = 0; i < phases.size(); ++i)
    if (!phases[i].parallel)
      keep(fmt::format("phase {} of {}, which has no loop of independent iterations", i + 1, phases.size()));
  lowered.phases = std::move(phases);
}

/// Microseconds that two workers save.
double saved_us(const LoweredStep& step, const Isa& isa) {
  if (step.phases.empty()) return 0;
  const auto us = expected_us(step.nest, isa);
  return us ? *us / 2 - kPhaseUs * static_cast<double>(step.phases.size()) : std::numeric_limits<double>::infinity();
}

/// Shares no step of a region that would gain nothing: a step that one worker runs between others that all run fetches
/// what these wrote, so that sharing some of the short ones gains little. The bodies of loops and branches are judged
/// apart: one long step outside does not pay for waking workers in every iteration.
void share_if_worth(const ExecutionPlan& plan, LoweredLevel& level) {
  const auto step_of = [&](size_t i) {
    const int twin = plan.steps[i].twin;
    return twin >= 0 ? static_cast<size_t>(twin) : i;
  };
  std::map<RegionId, double> saved;
  for (size_t i = 0; i < plan.steps.size(); ++i)
    saved[plan.steps[i].region] += saved_us(level.steps[step_of(i)], *level.isa);
  std::vector<bool> pays(level.steps.size());
  for (size_t i = 0; i < plan.steps.size(); ++i)
    if (saved[plan.steps[i].region] > 0) pays[step_of(i)] = true;
  for (size_t i = 0; i < level.steps.size(); ++i) {
    LoweredStep& step = level.steps[i];
    if (pays[i] || step.phases.empty()) continue;
    step.phases.clear();
    const bool outside = plan.steps[i].region == kTopLevel;
    step.one_thread = {fmt::format("all of {} is so short that waking workers costs more than it saves",
                                   outside ? "the program" : "the loop or branch around it")};
  }
}

/// The nest of a step that is no twin, and its phases where workers share it.
LoweredStep lower_step(const PlanStep& step, const Blueprints& blueprints, const Isa& isa, int workers) {
  LoweredStep lowered;
  lowered.nest = lower_kernel(step.kernel, blueprints, isa);
  if (workers > 1) share(step, isa, lowered);
  return lowered;
}

void widen(StepWorkspace& workspace, const LoweredStep& step) {
  if (step.phases.empty()) {
    const auto bytes = maximum_workspace_bytes(step.nest);
    TENON_CHECK(bytes, "{}: its workspace has no bound", step.nest.name);
    workspace.shared = std::max(workspace.shared, *bytes);
  }
  for (const Phase& phase : step.phases) {
    workspace.shared = std::max(workspace.shared, maximum_workspace_bytes(phase.nest).value_or(0));
    const int64_t own = maximum_worker_bytes(phase.nest).value_or(0);
    if (own > 0) workspace.per_worker = std::max(workspace.per_worker, own + kGapBytes);
  }
}

}  // namespace

std::vector<const Kernel*> kernels_of(const ExecutionPlan& plan) {
  std::vector<const Kernel*> kernels;
  for (const PlanStep& step : plan.steps)
    if (step.twin < 0) kernels.push_back(&step.kernel);
  return kernels;
}

LoweredPlan lower_plan(const ExecutionPlan& plan, const Blueprints& blueprints, const std::vector<const Isa*>& levels,
                       int workers) {
  LoweredPlan out;
  out.workspaces.resize(plan.steps.size());
  for (const Isa* isa : levels) {
    if (none_of(plan.steps, [&](const PlanStep& s) { return s.twin < 0 && has_level_of_its_own(s.kernel, *isa); }))
      continue;
    LoweredLevel& level = out.levels.emplace_back(LoweredLevel{isa, {}});
    level.steps.resize(plan.steps.size());
    for_each_index(plan.steps.size(), [&](size_t i) {
      const PlanStep& step = plan.steps[i];
      if (step.twin < 0) level.steps[i] = lower_step(step, blueprints.of_kernel(step.kernel.name), *isa, workers);
    });
    share_if_worth(plan, level);
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      if (const int twin = plan.steps[i].twin; twin >= 0) out.workspaces[i] = out.workspaces[static_cast<size_t>(twin)];
      else widen(out.workspaces[i], level.steps[i]);
    }
  }
  return out;
}

}  // namespace tenon
