// Finds the channels among the depth variables of a convolution.
#include "algebra/channel_depth.h"

#include "algebra/pair_depth.h"

namespace tenon {

std::optional<size_t> channel_variable(const Kernel& kernel, const Contraction& c) {
  const Read* left = std::get_if<Read>(&c.left->node);
  if (!left || !c.transposed || c.is_stencil() || !is_float(c.accumulator) || !c.paired.empty()) return std::nullopt;
  if (kernel.tensors[static_cast<size_t>(left->tensor)].dtype != c.accumulator) return std::nullopt;
  std::optional<size_t> found;
  for (size_t i = 0; i < c.depth.size(); ++i) {
    if (!walks_one_dimension(*left, c.depth[i].name)) continue;
    if (found) return std::nullopt;
    found = i;
  }
  if (!found || constant_value(c.depth[*found].extent).value_or(0) < kFewChannels) return std::nullopt;
  return found;
}

}  // namespace tenon
