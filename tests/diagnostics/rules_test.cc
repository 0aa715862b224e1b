// Bad rewrite rules: tests/diagnostics/rules/NAME.yaml must give exactly the text of NAME.txt. With
// TENON_UPDATE_EXPECTED set, the texts are written.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "catch.h"
#include "shipped_library.h"

namespace rules_test {

namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace

TEST_CASE("diagnostics: bad rewrite rules") {
  for (const char* name : {"keys", "kinds", "list", "syntax", "pattern", "recipe"}) {
    const fs::path file = fs::path(TENON_TESTS_DIR) / "diagnostics" / "rules" / (std::string(name) + ".yaml");
    fs::path expected = file;
    expected.replace_extension(".txt");
    const auto read =
        tenon::read_rewrites(tenon_test::shipped_ops(),
                             {std::make_shared<const tenon::SourceFile>(file.filename().string(), text_of(file))});
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

}  // namespace rules_test
