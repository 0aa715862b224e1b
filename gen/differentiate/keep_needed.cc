// Leaves what some outputs of a kernel need.

#include "differentiate/gradient_steps.h"
#include "support/ranges.h"

namespace tenon {
namespace {

void note_reads(const Expr& e, std::vector<bool>& used) {
  each_node<Read>(e, [&](const Read& r) { used[static_cast<size_t>(r.tensor)] = true; });
}

void note_reads(const KernelStatement& s, std::vector<bool>& used) {
  note_reads(s.value, used);
  note_reads(s.where, used);
  for (const Expr& e : s.index) note_reads(e, used);
  for (const LoopVar& v : s.loops) note_reads(v.extent, used);
}

bool is_needed(const FrameCall& call, const std::vector<bool>& used) {
  const std::set<int> made = written_by(call);
  return any_of(made, [&](int t) { return used[static_cast<size_t>(t)]; });
}

/// Marks the needed statements of begin … end, a joined group or a single one: each may read what a later one makes.
void note_needed(const std::vector<KernelStatement>& body, size_t begin, size_t end, std::vector<bool>& used,
                 std::vector<bool>& needed) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = end; i-- > begin;) {
      if (needed[i] || !used[static_cast<size_t>(body[i].target)]) continue;
      needed[i] = changed = true;
      note_reads(body[i], used);
    }
  }
}

/// Marks needed statements, backwards, until a pass marks no further one.
std::vector<bool> mark_needed(const Kernel& kernel, const BodySteps& steps, std::vector<bool>& used) {
  std::vector<bool> needed(kernel.body.size());
  for (std::vector<bool> before; before != used;) {
    before = used;
    for (size_t end = kernel.body.size(); end > 0;) {
      size_t begin = end - 1;
      while (begin > 0 && kernel.body[begin].joined > 0) --begin;
      note_needed(kernel.body, begin, end, used, needed);
      end = begin;
    }
    for (const BodySteps::Call& c : steps.calls)
      if (is_needed(c.call, used))
        for (const int t : read_by(c.call)) used[static_cast<size_t>(t)] = true;
  }
  return needed;
}

/// Keeps the used tensors and renumbers them.
std::vector<int> keep_tensors(std::vector<Tensor>& tensors, const std::vector<bool>& used) {
  std::vector<Tensor> kept;
  std::vector<int> to(tensors.size(), -1);
  for (size_t t = 0; t < tensors.size(); ++t) {
    if (!used[t]) continue;
    to[t] = static_cast<int>(kept.size());
    kept.push_back(std::move(tensors[t]));
  }
  tensors = std::move(kept);
  return to;
}

}  // namespace

void keep_needed(Kernel& kernel, const std::vector<int>& outputs, BodySteps& steps) {
  std::vector<bool> used(kernel.tensors.size());
  for (const int t : outputs) used[static_cast<size_t>(t)] = true;
  for (const Check& c : kernel.checks) {
    note_reads(c.holds, used);
    for (const LoopVar& v : c.loops) note_reads(v.extent, used);
  }
  for (const FoundSize& f : steps.found) used[static_cast<size_t>(f.tensor)] = true;
  const std::vector<bool> needed = mark_needed(kernel, steps, used);
  for (size_t i = kernel.body.size(); i-- > 0;)
    if (!needed[i]) erase_statement(kernel.body, i);
  std::erase_if(steps.calls, [&](const BodySteps::Call& c) { return !is_needed(c.call, used); });
  for (const BodySteps::Call& c : steps.calls)
    for (const int t : written_by(c.call)) used[static_cast<size_t>(t)] = true;
  const std::vector<int> to = keep_tensors(kernel.tensors, used);
  for (KernelStatement& s : kernel.body) {
    renumber_tensors(s, to);
    for (LoopVar& v : s.loops) v.extent = with_tensors(v.extent, to);
  }
  for (Check& c : kernel.checks) {
    c.holds = with_tensors(c.holds, to);
    for (LoopVar& v : c.loops) v.extent = with_tensors(v.extent, to);
  }
  for (BodySteps::Call& c : steps.calls)
    for (int& t : c.call.tensors) t = t < 0 ? t : to[static_cast<size_t>(t)];
  for (FoundSize& f : steps.found) f.tensor = to[static_cast<size_t>(f.tensor)];
}

}  // namespace tenon
