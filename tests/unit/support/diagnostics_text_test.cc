// Diagnostics: place, line, caret and notes; order; the table of codes.
#include <set>

#include "catch.h"
#include "support/diagnostics.h"

namespace diagnostics_text_test {

using namespace tenon;

namespace {
const SourceFileRef kFile = std::make_shared<const SourceFile>("f.yaml", "first\n\tx: ∑ wrong here\nlast");
}

TEST_CASE("diagnostics: text with caret and notes") {
  Diagnostics d;
  const std::size_t at = kFile->text().find("wrong");
  d.error(Code::E0401, {kFile, at, at + 5}, "nothing is called 'wrong' here", {"did you mean 'right'?"});
  CHECK(d.text() ==
        "f.yaml:2:7: error: nothing is called 'wrong' here [E0401]\n  \tx: ∑ wrong here\n  \t     ^~~~~\n  note: did "
        "you mean "
        "'right'?\n");
}

TEST_CASE("diagnostics: control characters do not reach the terminal, and none ends the text") {
  const std::string line("x: \0\x1b[31m red", 13);
  const auto file = std::make_shared<const SourceFile>("f.yaml", line);
  const std::string escape("a\0b\x1b[31m", 8);
  const std::string text = format({Code::E0401, Severity::error, {file, 5, 9}, "", escape, {escape}});
  CHECK(text ==
        "f.yaml:1:6: error: a\\x00b\\x1b[31m [E0401]\n  x: ??[31m red\n       ^~~~\n  note: a\\x00b\\x1b[31m\n");
  CHECK(format({Code::E0801, Severity::error, {}, escape, "here", {}}) == "a\\x00b\\x1b[31m: error: here [E0801]\n");
}

TEST_CASE("diagnostics: a word that is too long for one ends early, on a whole character") {
  const std::string fits(200, 'n'), name = std::string(59, 'n') + "∑" + std::string(100000, 'n');
  CHECK(format({Code::E0204, Severity::error, {}, "f", "'" + name + "' is not a name", {"not " + name}}) ==
        "f: error: '" + std::string(59, 'n') + "…' is not a name [E0204]\n  note: not " + std::string(59, 'n') + "…\n");
  CHECK(format({Code::E0204, Severity::error, {}, "f", fits + "  x", {}}) == "f: error: " + fits + "  x [E0204]\n");
}

TEST_CASE("diagnostics: findings come in the order of their places, once each") {
  Diagnostics d;
  d.error(Code::E0401, {kFile, 20, 21}, "second");
  d.error(Code::E0401, {kFile, 0, 5}, "first");
  d.error(Code::E0401, {kFile, 0, 5}, "first");
  d.error_at(Code::E0801, "net.onnx: node 3 'a' (Conv)", "third");
  REQUIRE(d.sorted().size() == 3);
  CHECK(d.sorted()[0].message == "first");
  CHECK(format(d.sorted()[2]) == "net.onnx: node 3 'a' (Conv): error: third [E0801]\n");
}

TEST_CASE("diagnostics: of a long line the part around the place is shown") {
  const auto file = std::make_shared<const SourceFile>("long", std::string(500, 'a') + "b" + std::string(500, 'c'));
  const std::string text = format({Code::E0401, Severity::error, {file, 500, 501}, "", "here", {}});
  CHECK(text.find("long:1:501: error: here") == 0);
  CHECK(text.find("ab") != std::string::npos);
  CHECK(text.find('^') != std::string::npos);
  CHECK(text.size() < 400);
}

TEST_CASE("diagnostics: every code has a slug of its own, a meaning and an explanation") {
  std::set<std::string_view> slugs;
  for (const CodeInfo& info : all_codes()) {
    INFO(info.id);
    CHECK(slugs.insert(info.slug).second);
    CHECK_FALSE(info.meaning.empty());
    CHECK_FALSE(info.explanation.empty());
    CHECK(find_code(info.id) == &info);
    CHECK(find_code(info.slug) == &info);
  }
  CHECK(find_code("e0401") == &code_info(Code::E0401));
  CHECK(find_code("E9999") == nullptr);
  CHECK(slugs.size() >= 60);
}

TEST_CASE("nearest_name: near names only") {
  CHECK(nearest_name("sofmax", {"softmax", "exp"}) == "softmax");
  CHECK(nearest_name("X", {"Y"}).empty());
  CHECK(nearest_name("reduce", {"exp"}).empty());
}

}  // namespace diagnostics_text_test
