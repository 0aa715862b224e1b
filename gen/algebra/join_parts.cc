// The parts of a kernel as one body, and the numbers of its steps.

#include "algebra/body_steps.h"
#include "ir/kernel/statement_parts.h"
#include "support/ranges.h"

namespace tenon {
namespace {

bool reads_any(const Expr& e, const std::set<int>& tensors, const std::set<std::string>& sizes) {
  return any_node(e, [&](const Expr& n) {
    const auto* r = std::get_if<Read>(&n->node);
    const auto* s = std::get_if<SizeRef>(&n->node);
    return (r && tensors.contains(r->tensor)) || (s && sizes.contains(s->name));
  });
}

bool reads_any(const KernelStatement& s, const std::set<int>& tensors, const std::set<std::string>& sizes) {
  return any_expression(s, [&](const Expr& e) { return reads_any(e, tensors, sizes); });
}

/// The position of the first statement before `end`, or of the statements joined with it, that reads a result of the
/// call.
size_t first_use(const Kernel& kernel, const BodySteps& steps, const FrameCall& call, size_t end) {
  const std::set<int> made = written_by(call);
  std::set<std::string> sizes;
  for (const FoundSize& f : steps.found)
    if (made.contains(f.tensor)) sizes.insert(f.name);
  size_t at = 0;
  while (at < end && !reads_any(kernel.body[at], made, sizes)) ++at;
  while (at > 0 && at < kernel.body.size() && kernel.body[at].joined > 0) --at;
  return at;
}

std::set<int> tensors_of(const FrameCall& call, bool inputs) {
  std::set<int> out;
  for (size_t k = 0; k < call.tensors.size(); ++k)
    if (call.tensors[k] >= 0 && (call.frame->parameters[k].kind == FrameParameterKind::input) == inputs)
      out.insert(call.tensors[k]);
  return out;
}

}  // namespace

std::set<int> written_by(const FrameCall& call) { return tensors_of(call, false); }
std::set<int> read_by(const FrameCall& call) { return tensors_of(call, true); }

BodySteps join_parts(Kernel& kernel) {
  BodySteps steps;
  if (kernel.parts.empty()) return steps;
  steps.late_checks = true;
  steps.found = std::move(kernel.found);
  std::set<int> extents;
  for (const FoundSize& f : steps.found) extents.insert(f.tensor);
  for (Kernel& part : kernel.parts) {
    // The check that an extent is within its bound is added again where the kernel is split.
    for (Check& c : part.checks) {
      if (reads_any(c.holds, extents, {})) continue;
      kernel.checks.push_back(std::move(c));
      steps.checked_at.push_back(kernel.body.size());
    }
    std::move(part.body.begin(), part.body.end(), std::back_inserter(kernel.body));
    if (part.call) steps.calls.push_back({kernel.body.size(), std::move(*part.call)});
  }
  kernel.parts.clear();
  kernel.found.clear();
  place_steps(kernel, steps);
  return steps;
}

void place_steps(const Kernel& kernel, BodySteps& steps) {
  size_t end = kernel.body.size();
  for (size_t c = steps.calls.size(); c-- > 0;)
    end = steps.calls[c].at = first_use(kernel, steps, steps.calls[c].call, end);
  const auto calls_before = [&](size_t statement) {
    return static_cast<size_t>(count_if(steps.calls, [&](const BodySteps::Call& c) { return c.at <= statement; }));
  };
  for (FoundSize& f : steps.found) {
    for (size_t i = 0; i < kernel.body.size(); ++i)
      if (kernel.body[i].target == f.tensor) f.part = i + calls_before(i);
    for (size_t c = 0; c < steps.calls.size(); ++c)
      if (written_by(steps.calls[c].call).contains(f.tensor)) f.part = steps.calls[c].at + c;
  }
  steps.check_makers.assign(kernel.checks.size(), kernel.body.size() + steps.calls.size());
}

}  // namespace tenon
