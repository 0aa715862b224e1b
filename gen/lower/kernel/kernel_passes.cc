// The table of kernel passes.
#include "lower/kernel/kernel_passes.h"

#include <fmt/format.h>

#include "lower/kernel/kernel_ranges.h"
#include "support/ranges.h"

namespace tenon {

std::span<const KernelPass> kernel_passes() {
  static constexpr KernelPass passes[] = {
      {"drop-idle", drop_idle},
      {"split-windows", split_windows},
      {"separate-reductions", separate_reductions},
      {"scatter-sums", scatter_sums},
      {"separate-sums", separate_sums},
      {"shift-prefixes", shift_prefixes},
      {"share-functions", share_functions},
      {"separate-functions", separate_functions},
      {"inline-temps", inline_temps},
      {"join-followers", join_followers},
      {"bounded-exponents", bounded_exponents},
      {"divide-once", divide_once},
      {"separate-windows", separate_windows},
      {"split-boxes", split_boxes},
      {"simplify-again", simplify_again},
      {"limit-temps", limit_temps},
      {"rows-as-lanes", rows_as_lanes},
  };
  return passes;
}

int add_temp(Kernel& k, const std::string& base, DType type, const std::vector<Expr>& dims) {
  std::string name = base;
  const auto taken = [&] { return any_of(k.tensors, [&](const Tensor& t) { return t.name == name; }); };
  for (int n = 2; taken(); ++n) name = fmt::format("{}{}", base, n);
  return k.add_temp(name, type, dims);
}

}  // namespace tenon
