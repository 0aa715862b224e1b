// Text and verifier of a library.
#include "ir/kernel/library.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "support/parallel.h"

namespace tenon {

std::string to_text(const Library& library) {
  std::string out;
  for (const LibraryOp& op : library.ops)
    for (const LibraryKernel& k : op.kernels)
      if (k.types == k.call_types) out += to_text(k.kernel);
  return out;
}

std::vector<std::string> verify(const Library& library) {
  std::vector<std::vector<std::string>> found(library.ops.size());
  for_each_index(library.ops.size(), [&](size_t i) {
    std::set<std::string_view> known;  // calls of several dtypes may share a kernel
    for (const LibraryKernel& k : library.ops[i].kernels)
      if (known.insert(k.kernel.name).second)
        for (const std::string& f : verify(k.kernel)) found[i].push_back(k.kernel.name + ": " + f);
  });
  std::vector<std::string> out;
  for (const std::vector<std::string>& of_op : found) out.insert(out.end(), of_op.begin(), of_op.end());
  return out;
}

namespace {

using UsedNames = std::set<std::string>;

void note_used(const Expr& e, UsedNames& used) {
  each_node<SizeRef>(e, [&](const SizeRef& s) { used.insert(s.name); });
  each_node<AttrRef>(e, [&](const AttrRef& a) { used.insert(a.name); });
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
