// The elementary functions of opdefs/math, for tests that emit calls of them.
#pragma once

#include <filesystem>

#include "opdef/read/read_math.h"
#include "scalar_functions.h"
#include "unit/opdef/read_text.h"

namespace tenon_test {

inline const tenon::MathLibrary& shipped_math() {
  static const tenon::MathLibrary library = [] {
    std::vector<tenon::SourceFileRef> files;
    for (const auto& file : std::filesystem::directory_iterator(std::string(TENON_CHECKOUT) + "/opdefs/math"))
      files.push_back(source(file_text(file.path().string()), file.path().string()));
    return tenon::read_math(files).value();
  }();
  return library;
}

}  // namespace tenon_test
