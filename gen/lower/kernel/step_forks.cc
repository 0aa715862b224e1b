// Forks by the steps at which windows slide along the last dimension.
#include <map>
#include <set>

#include "algebra/linear.h"
#include "lower/kernel/fork_parts.h"
#include "lower/kernel/kernel_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Element of an attribute.
using Element = std::pair<std::string, int>;

void elements_in(const Expr& coefficient, std::set<Element>& out, bool& plain) {
  if (constant_value(coefficient)) return;
  const auto* a = std::get_if<AttrRef>(&coefficient->node);
  if (a) out.insert({a->name, a->element});
  else plain = false;
}

/// Windows at other steps: those at all elements are found by vectors where they are near each other.
std::optional<Fork> fork_near_windows(const Kernel& k, const std::set<Element>& steps) {
  if (steps.size() != 1) return std::nullopt;
  const Expr near = is_near(attr_ref(steps.begin()->first, DType::I64, steps.begin()->second));
  if (ruled_out(k, near) || any_of(k.facts, [&](const Expr& f) { return same(f, near); })) return std::nullopt;
  Fork f = fork_on(near, k, k);
  f.what = "windows near each other: those at every element of a line, of which some are taken";
  f.near_windows = true;
  f.then.facts.push_back(near);
  return f;
}

}  // namespace

std::optional<Fork> fork_steps(const Kernel& k) {
  std::set<Element> steps, taps;
  bool plain = true;
  for (const KernelStatement& s : k.body) {
    if (s.loops.empty() || s.update != Update::Assign) continue;
    std::vector<LoopVar> inner;
    walk(s.value, [&](const Expr& n) {
      if (const auto* r = std::get_if<Reduce>(&n->node)) append(inner, r->vars);
      const auto* read = std::get_if<Read>(&n->node);
      if (!read || read->index.empty()) return true;
      const auto along = affine_in(read->index.back(), s.loops.back().name);
      if (!along || is_zero(along->coefficient) || constant_value(along->coefficient)) return true;
      elements_in(along->coefficient, steps, plain);
      for (const LoopVar& v : inner)
        if (const auto tap = affine_in(along->rest, v.name)) elements_in(tap->coefficient, taps, plain);
      return true;
    });
  }
  if (steps.empty() || !plain) return std::nullopt;
  for (const int64_t step : {1, 2}) {
    std::map<Element, int64_t> values;
    for (const Element& e : taps) values[e] = 1;
    for (const Element& e : steps) values[e] = step;
    Expr holds;
    for (const auto& [e, v] : values) holds = both(holds, equals(attr_ref(e.first, DType::I64, e.second), v));
    if (ruled_out(k, holds)) continue;
    Kernel then = k;
    for (const auto& [e, v] : values)
      then = map_exprs(then, [&, &element = e, &value = v](const Expr& x) {
        return replaced_attr(x, element.first, element.second, value);
      });
    return fork_on(holds, std::move(then), k);
  }
  return fork_near_windows(k, steps);
}

}  // namespace tenon
