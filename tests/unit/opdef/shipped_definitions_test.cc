// opdefs/*.yaml: the shipped definitions are accepted, and their text form reads back to the same.
#include <filesystem>
#include <set>

#include "catch.h"
#include "unit/opdef/read_text.h"

namespace shipped_definitions_test {

using namespace tenon;

TEST_CASE("opdefs: the shipped definitions are accepted and read back from their text") {
  namespace fs = std::filesystem;
  std::set<std::string> paths;
  for (const auto& entry : fs::directory_iterator(fs::path(TENON_CHECKOUT) / "opdefs")) {
    if (entry.path().extension() == ".yaml") paths.insert(entry.path().string());
  }
  REQUIRE_FALSE(paths.empty());
  std::vector<SourceFileRef> files;
  for (const std::string& path : paths)
    files.push_back(tenon_test::source(tenon_test::file_text(path), fs::path(path).filename().string()));
  const auto library = read_ops(files, {}, tenon_test::frame_files(TENON_CHECKOUT));
  INFO(library.diagnostics().text());
  REQUIRE(library);
  const std::string text = print(*library);
  const auto again = tenon_test::read_text(text);
  INFO(again.diagnostics().text());
  REQUIRE(again);
  CHECK(print(*again) == text);
}

}  // namespace shipped_definitions_test
