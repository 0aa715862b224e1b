// Bad rewrite rules: tests/diagnostics/rules/NAME.yaml must give exactly the text of NAME.txt. With TENON_UPDATE_EXPECTED set, the
// texts are written.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "catch.h"
#include "frame_files.h"
#include "opdef/read_ops.h"
#include "pipeline/rewrite.h"
#include "support/read_source.h"

namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

const tenon::OpLibrary& shipped() {
  static const tenon::OpLibrary library = [] {
    std::vector<std::string> paths;
    for (const auto& e : fs::directory_iterator(TENON_CHECKOUT "/opdefs"))
      if (e.path().extension() == ".yaml") paths.push_back(e.path().string());
    std::sort(paths.begin(), paths.end());
    std::vector<tenon::SourceFileRef> files;
    for (const std::string& p : paths) files.push_back(*tenon::read_source(p));
    auto read = tenon::read_ops(files, {}, tenon_test::frame_files(TENON_CHECKOUT));
    if (!read.ok()) FAIL(read.diagnostics().text());
    return std::move(read).value();
  }();
  return library;
}

}  // namespace

TEST_CASE("diagnostics: bad rewrite rules") {
  for (const char* name : {"keys", "syntax", "pattern", "recipe"}) {
    const fs::path file = fs::path(TENON_TESTS_DIR) / "diagnostics" / "rules" / (std::string(name) + ".yaml");
    fs::path expected = file;
    expected.replace_extension(".txt");
    const auto read = tenon::read_rewrites(shipped(), {std::make_shared<const tenon::SourceFile>(file.filename().string(), text_of(file))});
    INFO(read.diagnostics().text());
    CHECK_FALSE(read.ok());
    for (const tenon::Diagnostic& d : read.diagnostics().sorted()) {
      CHECK(d.span.known());
      CHECK_FALSE(d.notes.empty());
    }
    if (std::getenv("TENON_UPDATE_EXPECTED")) std::ofstream(expected, std::ios::binary) << read.diagnostics().text();
    CHECK(read.diagnostics().text() == text_of(expected));
  }
}
