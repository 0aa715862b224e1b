// The shipped C templates of ops, for tests.
#pragma once

#include <algorithm>
#include <filesystem>

#include "support/read_source.h"

namespace tenon_test {

/// Files of templates/c of the checkout; those that are no templates of ops are passed over by who reads them.
inline std::vector<tenon::SourceFileRef> frame_files(const std::filesystem::path& checkout) {
  std::vector<std::filesystem::path> paths;
  for (const auto& e : std::filesystem::directory_iterator(checkout / "templates" / "c"))
    if (e.path().filename().string().ends_with(".c.in")) paths.push_back(e.path());
  std::sort(paths.begin(), paths.end());
  std::vector<tenon::SourceFileRef> files;
  for (const auto& p : paths) files.push_back(*tenon::read_source(p.string()));
  return files;
}

}  // namespace tenon_test
