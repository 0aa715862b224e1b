// Leaves the sizes and attributes that a kernel of a library reads.
#include "ir/kernel/keep_used.h"

#include <algorithm>
#include <set>

namespace tenon {
namespace {

using UsedNames = std::set<std::string>;

void note_used(const Expr& e, UsedNames& used) {
  walk(e, [&](const Expr& n) {
    if (const auto* s = std::get_if<SizeRef>(&n->node)) used.insert(s->name);
    if (const auto* a = std::get_if<AttrRef>(&n->node)) used.insert(a->name);
    return true;
  });
}

void note_steps(const Kernel& k, UsedNames& used) {
  for (const KernelStatement& s : k.body) {
    for (const Expr& e : s.index) note_used(e, used);
    for (const LoopVar& v : s.loops) note_used(v.extent, used);
    note_used(s.value, used);
    if (s.where) note_used(s.where, used);
  }
  if (k.call)
    for (const std::vector<Expr>& values : k.call->values)
      for (const Expr& e : values) note_used(e, used);
  for (const Check& c : k.checks) {
    note_used(c.holds, used);
    for (const LoopVar& v : c.loops) note_used(v.extent, used);
  }
}

/// Sizes and attributes that the kernel computes with.
UsedNames used_by(const Kernel& k) {
  UsedNames used;
  for (const Tensor& t : k.tensors) {
    for (const Expr& e : t.dims) note_used(e, used);
    for (const Expr& e : t.strides) note_used(e, used);
  }
  note_steps(k, used);
  for (const Kernel& part : k.parts) note_steps(part, used);
  for (const FoundSize& s : k.found) note_used(s.bound, used);
  return used;
}

bool all_used(const Expr& fact, const UsedNames& used) {
  UsedNames named;
  note_used(fact, named);
  return std::includes(used.begin(), used.end(), named.begin(), named.end());
}

}  // namespace

void keep_used(LibraryKernel& k) {
  const UsedNames used = used_by(k.kernel);
  std::erase_if(k.kernel.facts, [&](const Expr& f) { return !all_used(f, used); });
  std::vector<Size> sizes;
  std::vector<SizeSource> sources;
  for (size_t i = 0; i < k.kernel.sizes.size(); ++i)
    if (used.contains(k.kernel.sizes[i].name)) {
      sizes.push_back(k.kernel.sizes[i]);
      sources.push_back(k.size_sources[i]);
    }
  k.kernel.sizes = std::move(sizes);
  k.size_sources = std::move(sources);
  std::erase_if(k.kernel.attrs, [&](const Attr& a) { return !used.contains(a.name); });
  for (Kernel& part : k.kernel.parts) {
    std::erase_if(part.sizes, [&](const Size& z) { return !used.contains(z.name); });
    std::erase_if(part.facts, [&](const Expr& f) { return !all_used(f, used); });
    part.attrs = k.kernel.attrs;
  }
}

}  // namespace tenon
