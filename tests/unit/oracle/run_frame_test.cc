// run_frame: every C template of ops has its reference, and the other way round.
#include "oracle/run_frame.h"

#include <algorithm>
#include <set>

#include "catch.h"
#include "frame_files.h"
#include "opdef/read/read_frame.h"

namespace run_frame_test {

using namespace tenon;

TEST_CASE("oracle: every C template of ops has its reference") {
  std::set<std::string> templates;
  for (const SourceFileRef& file : tenon_test::frame_files(TENON_CHECKOUT)) {
    if (!is_frame(*file)) continue;
    Frame frame;
    Diagnostics diagnostics;
    const bool read = read_frame(file, frame, diagnostics);
    INFO(diagnostics.text());
    CHECK(read);
    templates.insert(frame.name);
  }
  const std::vector<std::string> known = oracle_frames();
  CHECK(templates == std::set<std::string>(known.begin(), known.end()));
}

}  // namespace run_frame_test
