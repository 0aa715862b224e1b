// depfile_text: one rule, sorted, escaped.
#include "support/depfile.h"

#include "catch.h"

TEST_CASE("depfile names each dependency once, sorted and escaped") {
  CHECK(tenon::depfile_text("out dir/sources.txt", {"b.yaml", "a#$.yaml", "b.yaml"}) ==
        "out\\ dir/sources.txt: \\\n  a\\#$$.yaml \\\n  b.yaml\n");
  CHECK(tenon::depfile_text("t", {}) == "t:\n");
}
