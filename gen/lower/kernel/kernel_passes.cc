// The table of kernel passes.
#include "lower/kernel/kernel_passes.h"

#include "lower/kernel/kernel_ranges.h"

namespace tenon {

std::span<const KernelPass> kernel_passes() {
  static constexpr KernelPass passes[] = {
      {"drop-idle", drop_idle},
      {"separate-reductions", separate_reductions},
      {"separate-sums", separate_sums},
      {"shift-prefixes", shift_prefixes},
      {"share-functions", share_functions},
      {"inline-temps", inline_temps},
      {"join-followers", join_followers},
      {"bounded-exponents", bounded_exponents},
      {"divide-once", divide_once},
      {"separate-windows", separate_windows},
      {"split-boxes", split_boxes},
      {"simplify-again", simplify_kernel},
      {"limit-temps", limit_temps},
  };
  return passes;
}

}  // namespace tenon
