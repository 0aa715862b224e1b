// Kept elements: a dim traversed by one common loop needs one element; one traversed by a recurrence needs as many as
// its reads reach back, plus the current one.

#include "algebra/linear.h"
#include "lower/tree/place_temps.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The dim whose index follows the variable of a loop; -1 where none does.
int dim_of(const std::vector<Expr>& index, const std::string& var) {
  for (size_t d = 0; d < index.size(); ++d)
    if (mentions(index[d], var)) return static_cast<int>(d);
  return -1;
}

/// All accesses index the dim by the variable alone, so that its iterations can share the memory.
bool walked_alone(const TempAccesses& a, size_t dim, const std::string& var) {
  return all_of(a.indices, [&](const std::vector<Expr>* index) {
    const auto* v = std::get_if<VarRef>(&(*index)[dim]->node);
    return v && v->name == var;
  });
}

/// How far after the definition the element at `index` is along a carried loop: in its iteration, or after the last.
std::optional<int64_t> distance(const AffineIn& defined, int64_t step, const LoopVar& loop, const Expr& index) {
  const auto at = affine_in(index, loop.name);
  if (!at) return std::nullopt;
  const auto along = constant_value(at->coefficient);
  if (!along || (*along != 0 && *along != step)) return std::nullopt;
  // Not along the loop: it is read after it, where the last element is the one that was made last.
  const Expr last = step > 0 ? loop.extent - constant_int(1) : constant_int(1) - loop.extent;
  const Expr from = *along == 0 ? defined.rest + last : defined.rest;
  const auto apart = step > 0 ? constant_difference(from, at->rest) : constant_difference(at->rest, from);
  return apart.value_or(-1) >= 0 ? apart : std::nullopt;
}

std::optional<int64_t> reach(const TempAccesses& a, size_t dim, const LoopVar& loop) {
  const auto defined = affine_in((*a.definition)[dim], loop.name);
  const auto step = defined ? constant_value(defined->coefficient) : std::nullopt;
  if (!step || (*step != 1 && *step != -1)) return std::nullopt;
  int64_t most = 0;
  for (const std::vector<Expr>* index : a.indices) {
    const auto d = distance(*defined, *step, loop, (*index)[dim]);
    if (!d) return std::nullopt;
    most = std::max(most, *d);
  }
  return most;
}

int64_t power_of_two_above(int64_t n) {
  int64_t p = 1;
  while (p <= n) p *= 2;
  return p;
}

}  // namespace

std::vector<int64_t> kept_elements(size_t rank, const TempAccesses& a) {
  constexpr int64_t kMostBack = 1 << 10;
  std::vector<int64_t> kept(rank, 0);
  if (!a.definition) return kept;
  for (const SurroundingLoop& loop : a.around) {
    const int found = dim_of(*a.definition, loop.var.name);
    if (found < 0) continue;
    const auto dim = static_cast<size_t>(found);
    if (!loop.carried) {
      if (!loop.vector && walked_alone(a, dim, loop.var.name)) kept[dim] = 1;
      continue;
    }
    // Inside of a loop that reads earlier iterations, those are needed as a whole.
    const auto back = reach(a, dim, loop.var);
    if (!back || *back > kMostBack) break;
    kept[dim] = a.in_place ? 1 : power_of_two_above(*back);
    if (*back > 0) break;
  }
  return kept;
}

}  // namespace tenon
