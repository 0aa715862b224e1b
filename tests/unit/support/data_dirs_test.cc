// find_data_dirs: --opdefs names either the opdefs folder or the folder that holds it.
#include "support/data_dirs.h"

#include "catch.h"
#include "scratch_dir.h"

namespace data_dirs_test {

namespace fs = std::filesystem;
using tenon::find_data_dirs;

TEST_CASE("data dirs: an override names the folder or its parent") {
  tenon_test::ScratchDir scratch;
  fs::create_directories(scratch / "opdefs");
  fs::create_directories(scratch / "templates");
  for (const std::string name : {"", "opdefs", "opdefs/"}) {
    const auto dirs = find_data_dirs((scratch / name).string());
    REQUIRE(dirs);
    CHECK(fs::equivalent(dirs->opdefs, scratch / "opdefs"));
    CHECK(fs::equivalent(dirs->templates, scratch / "templates"));
  }
  CHECK_FALSE(find_data_dirs((scratch / "nowhere").string()));
}

}  // namespace data_dirs_test
