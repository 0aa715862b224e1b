// Text and verifier of a library.
#include "ir/kernel/library.h"

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

}  // namespace tenon
