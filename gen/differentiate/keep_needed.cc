// Leaves what one output of a kernel needs.
#include "differentiate/keep_needed.h"

namespace tenon {
namespace {

void note_reads(const Expr& e, std::vector<bool>& used) {
  walk(e, [&](const Expr& n) {
    if (const auto* r = std::get_if<Read>(&n->node)) used[static_cast<size_t>(r->tensor)] = true;
    return true;
  });
}

void note_reads(const KernelStatement& s, std::vector<bool>& used) {
  note_reads(s.value, used);
  if (s.where) note_reads(s.where, used);
  for (const Expr& e : s.index) note_reads(e, used);
  for (const LoopVar& v : s.loops) note_reads(v.extent, used);
}

Expr renumbered(const Expr& e, const std::vector<int>& to) {
  const Expr below = map_children(e, [&](const Expr& c) { return renumbered(c, to); });
  const auto* r = std::get_if<Read>(&below->node);
  return r ? read_of(to[static_cast<size_t>(r->tensor)], below->type, r->index, r->fill) : below;
}

/// Marks the statements begin … end, joined or one alone, that something needs: each may read what a later one makes.
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

std::vector<KernelStatement> needed_statements(std::vector<KernelStatement> body, std::vector<bool>& used) {
  std::vector<bool> needed(body.size());
  for (size_t end = body.size(); end > 0;) {
    size_t begin = end - 1;
    while (begin > 0 && body[begin].joined > 0) --begin;
    note_needed(body, begin, end, used, needed);
    end = begin;
  }
  for (size_t i = body.size(); i-- > 0;)
    if (!needed[i]) erase_statement(body, i);
  return body;
}

}  // namespace

void keep_needed(Kernel& kernel, int output) {
  std::vector<bool> used(kernel.tensors.size());
  used[static_cast<size_t>(output)] = true;
  for (const Check& c : kernel.checks) {
    note_reads(c.holds, used);
    for (const LoopVar& v : c.loops) note_reads(v.extent, used);
  }
  std::vector<KernelStatement> kept = needed_statements(std::move(kernel.body), used);
  std::vector<Tensor> tensors;
  std::vector<int> to(kernel.tensors.size(), -1);
  for (size_t t = 0; t < kernel.tensors.size(); ++t) {
    if (!used[t]) continue;
    to[t] = static_cast<int>(tensors.size());
    tensors.push_back(std::move(kernel.tensors[t]));
  }
  kernel.tensors = std::move(tensors);
  for (KernelStatement& s : kept) {
    s.target = to[static_cast<size_t>(s.target)];
    s.value = renumbered(s.value, to);
    if (s.where) s.where = renumbered(s.where, to);
    for (Expr& e : s.index) e = renumbered(e, to);
    for (LoopVar& v : s.loops) v.extent = renumbered(v.extent, to);
  }
  for (Check& c : kernel.checks) {
    c.holds = renumbered(c.holds, to);
    for (LoopVar& v : c.loops) v.extent = renumbered(v.extent, to);
  }
  kernel.body = std::move(kept);
}

}  // namespace tenon
