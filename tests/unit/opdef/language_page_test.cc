// docs/opdef-language.md: every example on the page is accepted, and names every key and diagnostic that it shows as
// they are.
#include "catch.h"
#include "opdef/read/read_op.h"
#include "opdef/read_ops.h"
#include "shipped_library.h"
#include "unit/opdef/read_text.h"

namespace language_page_test {

namespace {

std::vector<std::string> examples(const std::string& page) {
  std::vector<std::string> blocks;
  const std::string open = "```yaml\n", close = "```";
  for (std::size_t at = page.find(open); at != std::string::npos; at = page.find(open, at)) {
    at += open.size();
    blocks.push_back(page.substr(at, page.find(close, at) - at));
  }
  return blocks;
}

}  // namespace

TEST_CASE("opdef-language.md: the examples are accepted", "[slow]") {
  const std::string page = tenon_test::file_text(std::string(TENON_CHECKOUT) + "/docs/opdef-language.md");
  const std::vector<std::string> blocks = examples(page);
  CHECK(blocks.size() > 8);
  for (const std::string& block : blocks) {
    const auto library = tenon::read_ops_as_needed(tenon_test::yaml_files("opdefs"), {tenon_test::source(block)},
                                                   tenon_test::frame_files(TENON_CHECKOUT));
    INFO(block << library.diagnostics().text());
    CHECK(library.ok());
  }
}

TEST_CASE("opdef-language.md: every key of an op is described") {
  const std::string page = tenon_test::file_text(std::string(TENON_CHECKOUT) + "/docs/opdef-language.md");
  for (const std::string& key : tenon::op_keys()) {
    INFO(key);
    CHECK(page.find("`" + key + "`") != std::string::npos);
  }
}

TEST_CASE("opdef-language.md: the refused example is refused with that text") {
  const std::string page = tenon_test::file_text(std::string(TENON_CHECKOUT) + "/docs/opdef-language.md");
  const auto file = tenon_test::source(
      "ops:\n  - op: difference\n    types: {T: number}\n    in: {X: \"T[N]\"}\n    out: {Y: \"T[N]\"}\n    body: Y[i] "
      "= X[i + "
      "1] - X[i]\n",
      "bad.yaml");
  const auto refused = tenon::read_ops({}, {file});
  INFO(refused.diagnostics().text());
  CHECK(page.find(refused.diagnostics().text()) != std::string::npos);
}

}  // namespace language_page_test
