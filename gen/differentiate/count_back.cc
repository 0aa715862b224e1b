// Operators that know the number of the iteration, in loops that run from the last iteration to the first.
#include <fmt/format.h>

#include "differentiate/backward_parts.h"
#include "support/ranges.h"

namespace tenon {

bool names_size(const AttrValue& attribute, const std::string& name) {
  const auto named = [&](const SizeExpr& e) { return contains(names_in(e), name); };
  if (const auto* one = std::get_if<SizeExpr>(&attribute)) return named(*one);
  const auto* list = std::get_if<std::vector<SizeExpr>>(&attribute);
  return list && any_of(*list, named);
}

void count_back(Node& n, const Region& loop, const SizeExpr& from_end) {
  for (auto& [name, attribute] : n.attrs) {
    if (!names_size(attribute, loop.counter)) continue;
    if (loop.ends_early())
      throw NoGradient{
          n.origin, fmt::format("the attribute {} of {} depends on the iteration of a loop that data end", name, n.op)};
    if (auto* one = std::get_if<SizeExpr>(&attribute)) *one = with_size(*one, loop.counter, from_end);
    else
      for (SizeExpr& e : std::get<std::vector<SizeExpr>>(attribute)) e = with_size(e, loop.counter, from_end);
  }
  if (!n.gradient) return;
  GradientOf gradient = *n.gradient;
  count_back(gradient.of, loop, from_end);
  n.gradient = std::make_shared<const GradientOf>(std::move(gradient));
}

void refuse_extents_of(const Graph& graph, const Node& n, const std::string& counter) {
  for (const std::vector<ValueId>& values : {n.inputs, n.outputs})
    for (const ValueId v : values)
      if (v != kNoValue && names_size(graph.value(v).dims, counter))
        throw NoGradient{n.origin, fmt::format("an extent of {} depends on the iteration", graph.value(v).name)};
}

}  // namespace tenon
