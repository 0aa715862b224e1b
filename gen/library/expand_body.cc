// Body of a definition → statements of a kernel.
#include "library/expand_body.h"

#include <fmt/format.h>

#include "library/body_expander.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Whether a check needs results of a recurrence, of updates or of reductions, which are not computed for a check
/// alone.
bool asks_for_what_is_made(const Kernel& kernel) {
  std::vector<bool> made(kernel.tensors.size());
  const auto needs = [&](const Expr& e, bool reductions) {
    return (reductions && has_node<Reduce>(e)) ||
           any_read(e, [&](const Read& r) { return made[static_cast<size_t>(r.tensor)]; });
  };
  for (const KernelStatement& s : kernel.body)
    if (is_in_recurrence(s) || s.update != Update::Assign || needs(s.value, true))
      made[static_cast<size_t>(s.target)] = true;
  return any_of(kernel.checks, [&](const Check& c) { return needs(c.holds, false); });
}

/// Stores the extents that the body finds where the call returns them.
void tell_extents(const Scope& scope, const BodySteps& steps, Kernel& kernel) {
  for (const LetDef& l : scope.def->lets) {
    if (!l.written) continue;
    const std::string& size = std::get<SizeRef>(scope.binding.sizes.at(l.name).e->node).name;
    for (const FoundSize& f : steps.found) {
      if (f.name != size) continue;
      KernelStatement s;
      s.target = static_cast<int>(kernel.tensors.size());
      s.value = read_of(f.tensor, DType::I64, {});
      s.formula = fmt::format("the extent {}", l.name);
      kernel.tensors.push_back({unused_tensor_name(kernel, l.name + "_told"), Role::Output, DType::I64, {}, {}});
      kernel.tensors.back().extent = size;
      kernel.body.push_back(std::move(s));
    }
  }
}

}  // namespace

void expand_body(const OpLibrary& library, Scope& scope, Kernel& kernel, Diagnostics& diagnostics) {
  const auto frame = library.frame_of(*scope.def);
  if (frame && !(scope.keeps_stops && !scope.def->body.empty())) {
    kernel.call = bind_frame(frame, scope, Role::Output, kernel);
    return;
  }
  BodySteps steps;
  BodyExpander expander(library, scope, kernel, steps, diagnostics);
  frame ? expander.call_frame(frame, scope) : expander.run();
  if (diagnostics.has_errors()) return;
  steps.late_checks = asks_for_what_is_made(kernel);
  if (steps.empty()) return;
  steps.check_makers.resize(kernel.checks.size(), kernel.body.size() + steps.calls.size());
  tell_extents(scope, steps, kernel);
  cut_into_parts(steps, kernel);
}

}  // namespace tenon
