// read_source: text of files; what cannot be read is E0108.
#include "support/read_source.h"

#include <fstream>

#include "catch.h"
#include "scratch_dir.h"

namespace read_source_test {

TEST_CASE("read_source: a file's text and name") {
  tenon_test::ScratchDir scratch;
  std::ofstream((scratch / "a.yaml").string()) << "ops: []\n";
  const auto source = tenon::read_source((scratch / "a.yaml").string());
  REQUIRE(source);
  CHECK((*source)->text() == "ops: []\n");
  CHECK((*source)->lines() == 2);
}

TEST_CASE("read_source: what cannot be read") {
  tenon_test::ScratchDir scratch;
  for (const std::string& path : {(scratch / "none.yaml").string(), (scratch / "").string()}) {
    const auto source = tenon::read_source(path);
    REQUIRE_FALSE(source);
    CHECK(source.diagnostics().text().find("[E0108]") != std::string::npos);
    CHECK(source.diagnostics().text().find(path + ": error: ") == 0);
  }
}

}  // namespace read_source_test
