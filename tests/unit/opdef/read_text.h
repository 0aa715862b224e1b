// Reading definitions from strings and files in tests.
#pragma once

#include <fstream>
#include <sstream>
#include <string>

#include "frame_files.h"
#include "opdef/read_ops.h"

namespace tenon_test {

inline tenon::SourceFileRef source(std::string text, std::string name = "test.yaml") {
  return std::make_shared<const tenon::SourceFile>(std::move(name), std::move(text));
}

inline tenon::Result<tenon::OpLibrary> read_text(std::string text) {
  return tenon::read_ops({}, {source(std::move(text))}, frame_files(TENON_CHECKOUT));
}

inline std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace tenon_test
