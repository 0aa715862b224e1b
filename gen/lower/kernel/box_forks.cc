// Forks by how wide sliding boxes are.
#include "algebra/linear.h"
#include "lower/kernel/fork_parts.h"
#include "lower/kernel/sliding_box.h"

namespace tenon {
namespace {

/// The open size that a width is, but for a number that is added to it; "" where it is something else.
std::string open_width(const Kernel& k, const Expr& width) {
  const LinearForm form = linear_form(width);
  const bool plain = form.terms.size() == 1 && form.terms[0].second == 1;
  const std::string name = plain ? size_name(form.terms[0].first) : "";
  return !name.empty() && is_open(k, name) ? name : "";
}

/// The width of a box in one of the statement's reductions that only run time knows.
std::string open_box(const Kernel& k, const KernelStatement& s, int64_t& wide) {
  std::string found;
  walk(s.value, [&](const Expr& e) {
    const auto* r = std::get_if<Reduce>(&e->node);
    if (!r || !found.empty()) return found.empty();
    if (!joins_parts(k, *r)) return true;
    wide = takes_away(*r) ? kCountedBox : kWideBox;
    if (const auto c = conditioned_box(s, *r)) found = open_width(k, c->before + c->after);
    else if (const auto b = sliding_box(s, *r, "h'")) found = open_width(k, r->vars[b->var].extent);
    return found.empty();
  });
  return found;
}

}  // namespace

std::optional<Fork> fork_boxes(const Kernel& k) {
  for (const KernelStatement& s : k.body) {
    if (s.update != Update::Assign || is_in_recurrence(s)) continue;
    int64_t wide = 0;
    const std::string width = open_box(k, s, wide);
    if (width.empty()) continue;
    const Expr holds = apply(ScalarOp::Ge, {size_ref(width), constant_int(wide)});
    if (ruled_out(k, holds)) continue;
    Fork f = fork_on(holds, k, k);
    bool can = true;
    for (Size& size : f.then.sizes) {
      if (size.name != width) continue;
      can = size.lo < wide && size.hi >= wide;
      size.lo = wide;
    }
    for (Size& size : f.otherwise.sizes)
      if (size.name == width) size.hi = std::min(size.hi, wide - 1);
    f.for_speed = false;
    f.what = "wide windows: composed of narrower ones";
    if (can) return f;
  }
  return std::nullopt;
}

}  // namespace tenon
