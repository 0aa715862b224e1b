// Lowers each kernel of a library once, in parallel.
#include "lower/lower_library.h"

#include <set>
#include <string_view>

#include "algebra/known_values.h"
#include "algebra/nest_survey.h"
#include "lower/kernel/kernel_ranges.h"
#include "lower/lower_kernel.h"
#include "lower/nest/nest_passes.h"
#include "lower/nest/rename_nest.h"
#include "support/parallel.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Levels for products of bytes that no kernel has a body for are left out.
void drop_idle_levels(LoweredLibrary& library) {
  for (size_t i = library.levels.size(); i-- > 0;) {
    const bool idle = none_of(library.kernels, [&](const LoweredKernel& k) { return k.nests[i].has_value(); });
    if (library.levels[i]->base.empty() || !idle) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    library.levels.erase(library.levels.begin() + at);
    for (LoweredKernel& k : library.kernels) k.nests.erase(k.nests.begin() + at);
  }
}

/// Each kernel once, in order.
std::vector<const LibraryKernel*> distinct_kernels(const Library& library) {
  std::vector<const LibraryKernel*> kernels;
  std::set<std::string_view> known;
  for (const LibraryOp& op : library.ops)
    for (const LibraryKernel& k : op.kernels)
      if (known.insert(k.kernel.name).second) kernels.push_back(&k);
  return kernels;
}

}  // namespace

std::vector<const Kernel*> kernels_of(const Library& library) {
  return mapped(distinct_kernels(library), [](const LibraryKernel* k) { return &k->kernel; });
}

LoweredLibrary lower_library(const Library& library, const Blueprints& blueprints,
                             const std::vector<const Isa*>& levels, Workers workers) {
  LoweredLibrary out{levels, {}};
  const std::vector<const LibraryKernel*> kernels = distinct_kernels(library);
  for (const LibraryKernel* k : kernels) out.kernels.push_back({&k->kernel, {}});
  for_each_index(out.kernels.size(), [&](size_t i) {
    LoweredKernel& lowered = out.kernels[i];
    Blueprints own = blueprints.of_kernel(lowered.kernel->name);
    for (Blueprint& row : own.rows) row.shared = workers == Workers::several;
    lowered.nests = lower_levels(*lowered.kernel, own, levels);
    for (std::optional<LoopNest>& nest : lowered.nests)
      if (nest) move_large_arrays(*nest);
    add_fixed_bodies(*kernels[i], own, levels, lowered.nests);
    for (std::optional<LoopNest>& nest : lowered.nests)
      if (nest) {
        nest = name_repeated(skip_outputs(*std::move(nest)));
        if (workers == Workers::several) nest = share_loops(*std::move(nest));
      }
  });
  drop_idle_levels(out);
  return out;
}

Kernel fixed_kernel(const LibraryKernel& k, const FixedValues& values) {
  Kernel out = simplify_kernel(with_known(k.kernel, concat(values.asked, values.implied)));
  out.name += "_fixed";
  return out;
}

void add_fixed_bodies(const LibraryKernel& k, const Blueprints& blueprints, const std::vector<const Isa*>& levels,
                      std::vector<std::optional<LoopNest>>& nests) {
  for (size_t n = k.fixed.size(); n-- > 0;) {
    const Kernel fixed = fixed_kernel(k, k.fixed[n]);
    for (size_t i = 0; i < levels.size(); ++i) {
      if (!nests[i] && levels[i]->base.empty() && gains(fixed, *levels[i])) {
        nests[i] = library_nest(k.kernel, blueprints, *levels[i]);
        move_large_arrays(*nests[i]);
      }
      if (!nests[i]) continue;
      LoopNest one = library_nest(fixed, blueprints, *levels[i]);
      move_large_arrays(one);
      one.body = without_unread(one.body);
      add_case(equal_to(k.fixed[n].asked), one, CaseWorkspace::by_call, *nests[i]);
    }
  }
}

}  // namespace tenon
