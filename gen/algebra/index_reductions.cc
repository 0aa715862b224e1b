// Bounds of reductions: places of extrema, counts and other sums of what is not negative.
#include "algebra/index_bounds.h"

namespace tenon {

bool IndexBounds::whole_reduction(const Syntax& s) {
  if (s.text == "argmax" || s.text == "argmin" || s.text == "any" || s.text == "all") return true;
  if (s.start() == nullptr) return whole(s.reduced());
  // The accumulator has the type of its start, or of the step if the start is only a number.
  const Syntax& start = s.start()->children[0];
  const bool typed = start.calls(Builtin::cast, Builtin::bits) || start.is(SyntaxKind::subscript);
  return whole(start) && (typed || whole(s.reduced()));
}

std::optional<Polynomial> IndexBounds::reduction(const Syntax& s) {
  const bool place = s.text == "argmax" || s.text == "argmin";
  if (!place && s.text != "sum") return std::nullopt;
  std::optional<Polynomial> size;  // how many elements there are at most
  if (s.variables().size() == 1 && !s.variables()[0].is(SyntaxKind::pack))
    if (const auto extent = context_.extents.find(s.variables()[0].text); extent != context_.extents.end())
      size = polynomial(extent->second);
  // A place in the dim. (An empty one is an error at run time.)
  if (place) return size ? bounded("place", Polynomial(), *size - Polynomial::constant(1), print(s)) : std::nullopt;
  const auto each = polynomial(s.reduced());
  if (!each || !prove(*each, {}, 1)) return std::nullopt;
  const bool counts = size && prove(Polynomial::constant(1) - *each, {}, 1);
  return bounded("sum", Polynomial(), counts ? size : std::nullopt, print(s));
}

}  // namespace tenon
