// Lowers a kernel once more for each set of fixed values.
#include "lower/fixed_bodies.h"

#include "algebra/known_values.h"
#include "lower/kernel/kernel_ranges.h"
#include "lower/lower_kernel.h"
#include "lower/nest/nest_passes.h"
#include "lower/nest/rename_nest.h"

namespace tenon {

Kernel fixed_kernel(const LibraryKernel& k, const FixedValues& values) {
  KnownValues known = values.asked;
  known.insert(known.end(), values.implied.begin(), values.implied.end());
  Kernel out = simplify_kernel(with_known(k.kernel, known));
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
