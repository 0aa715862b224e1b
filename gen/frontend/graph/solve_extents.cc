// Solves equations for one unknown after another, by trial.
#include "frontend/graph/solve_extents.h"

#include <optional>

namespace tenon {
namespace {

/// The only value of `name` for which the equation holds.
std::optional<int64_t> only_solution(const ExtentEquation& equation, const std::string& name) {
  std::optional<int64_t> found;
  for (int64_t v = 1; v <= kMaximumSolved; ++v) {
    if (evaluate(equation.extent, {{name, v}}) != equation.stated) continue;
    if (found) return std::nullopt;
    found = v;
  }
  return found;
}

}  // namespace

SizeValues solve_extents(const std::vector<ExtentEquation>& equations, const std::set<std::string>& unknowns) {
  SizeValues solved;
  for (bool more = true; more;) {
    more = false;
    for (const ExtentEquation& e : equations) {
      const ExtentEquation rest{substitute(e.extent, solved), e.stated};
      const std::vector<std::string> names = names_in(rest.extent);
      if (names.size() != 1 || !unknowns.count(names[0])) continue;
      if (const std::optional<int64_t> value = only_solution(rest, names[0])) {
        solved[names[0]] = *value;
        more = true;
      }
    }
  }
  return solved;
}

}  // namespace tenon
