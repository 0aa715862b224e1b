// Text and verifier of a lowered library.
#include "ir/nest/lowered_library.h"

#include "support/parallel.h"

namespace tenon {

std::string to_text(const LoweredLibrary& library) {
  std::string out;
  for (size_t level = 0; level < library.levels.size(); ++level)
    for (const LoweredKernel& k : library.kernels)
      if (k.nests[level]) out += to_text(*k.nests[level]);
  return out;
}

std::vector<std::string> verify(const LoweredLibrary& library) {
  std::vector<std::vector<std::string>> found(library.kernels.size());
  for_each_index(library.kernels.size(), [&](size_t i) {
    for (const std::optional<LoopNest>& nest : library.kernels[i].nests)
      for (const std::string& fault : nest ? verify(*nest) : std::vector<std::string>{})
        found[i].push_back(nest->name + ": " + fault);
  });
  std::vector<std::string> all;
  for (const std::vector<std::string>& of_kernel : found) all.insert(all.end(), of_kernel.begin(), of_kernel.end());
  return all;
}

}  // namespace tenon
