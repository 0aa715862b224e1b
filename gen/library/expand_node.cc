// One operator of a graph → its kernel.
#include "library/bind_node.h"
#include "library/expand_body.h"
#include "support/ranges.h"

namespace tenon {

namespace {

/// Sizes that the kernel finds itself are not parameters.
void drop_found_sizes(Kernel& kernel) {
  std::erase_if(kernel.sizes, [&](const Size& s) {
    return any_of(kernel.found, [&](const FoundSize& f) { return f.name == s.name; });
  });
}

}  // namespace

std::optional<BoundCall> expand_node(const NodeCall& node, const std::vector<GraphSize>& sizes,
                                     Diagnostics& diagnostics, bool for_gradients) {
  auto call = bind_node(node, diagnostics);
  if (!call) return std::nullopt;
  for (const GraphSize& s : sizes) call->kernel.sizes.push_back({s.name, s.lo, s.hi});
  for (const WrittenExtent& e : call->extents)
    if (none_of(sizes, [&](const GraphSize& s) { return s.name == e.size; }))
      call->kernel.sizes.push_back({e.size, 0, constant_value(e.bound).value_or(INT64_MAX)});
  call->scope.keeps_stops = for_gradients;
  call->kernel.reassociate = node.def.numerics.reassociate_all.value_or(true);
  expand_body(node.library, call->scope, call->kernel, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  drop_found_sizes(call->kernel);
  return call;
}

}  // namespace tenon
