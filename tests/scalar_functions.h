// The small scalar functions of templates/scalar, for tests that print C.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "emit/scalar_functions.h"
#include "unit/opdef/read_text.h"

namespace tenon_test {

inline const tenon::ScalarFunctions& shipped_scalar_functions() {
  static const tenon::ScalarFunctions read = [] {
    std::vector<std::string> texts;
    for (const auto& file : std::filesystem::directory_iterator(std::string(TENON_CHECKOUT) + "/templates/scalar"))
      texts.push_back(file_text(file.path().string()));
    return tenon::ScalarFunctions(texts);
  }();
  return read;
}

}  // namespace tenon_test
