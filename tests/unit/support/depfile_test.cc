// depfile_text: one rule, sorted, in a spelling that Make and Ninja share.
#include "support/depfile.h"

#include "catch.h"

namespace depfile_test {

TEST_CASE("depfile names each dependency once, sorted and escaped") {
  CHECK(tenon::depfile_text("out dir/sources.txt", {"b.yaml", "a#$.yaml", "b.yaml"}).text ==
        "out\\ dir/sources.txt: \\\n  a\\#$$.yaml \\\n  b.yaml\n");
  CHECK(tenon::depfile_text("t", {}).text == "t:\n");
  CHECK(tenon::depfile_text("t", {"a\\ b", "c:d", "e%f", "g\\h"}).text ==
        "t: \\\n  a\\\\\\ b \\\n  c\\:d \\\n  e%f \\\n  g\\h\n");
}

TEST_CASE("depfile puts names with '=' last, where Make takes them for names") {
  CHECK(tenon::depfile_text("t", {"a=b", "c"}).text == "t: \\\n  c \\\n  a=b\n");
  CHECK(tenon::depfile_text("t", {"a=b"}).unspeakable == "a=b");
}

TEST_CASE("depfile refuses names without a common spelling") {
  for (const char* name : {"a\nb", "a\tb", "a;b", "a|b", "a*b", "a[b]", "~a", "a:", "a\\", "a\\#b", "lib(x)", "$(x)>y"})
    CHECK(tenon::depfile_text("t", {"a", name}).unspeakable == name);
  CHECK(tenon::depfile_text("a%b", {}).unspeakable == "a%b");
  CHECK(tenon::depfile_text("a=b/sources.txt", {"c"}).unspeakable == "a=b/sources.txt");
}

}  // namespace depfile_test
