// The shipped rows of ONNX operators, for tests.
#pragma once

#include <algorithm>
#include <filesystem>

#include "frontend/onnx/onnx_table.h"
#include "support/read_source.h"

namespace tenon_test {

inline std::vector<tenon::SourceFileRef> onnx_table_files(const std::filesystem::path& opdefs) {
  std::vector<std::filesystem::path> paths;
  for (const auto& e : std::filesystem::directory_iterator(opdefs / "onnx")) paths.push_back(e.path());
  std::sort(paths.begin(), paths.end());
  std::vector<tenon::SourceFileRef> files;
  for (const auto& p : paths) files.push_back(*tenon::read_source(p.string()));
  return files;
}

}  // namespace tenon_test
