// read_yaml, placed_text: every byte of a value knows its place, whatever the scalar's style, in columns of code
// points.
#include "catch.h"
#include "support/yaml_document.h"

namespace yaml_places_test {

using namespace tenon;

namespace {

SourceFileRef file(const std::string& text) { return std::make_shared<const SourceFile>("t.yaml", text); }

/// LINE:COL of the first occurrence of `what` in the value under `key`.
std::string place(const std::string& text, const std::string& key, const std::string& what) {
  const auto documents = read_yaml(file(text));
  if (!documents) return documents.diagnostics().text();
  const YamlNode* node = documents->at(0).find(key);
  if (node == nullptr) return "no such key";
  const PlacedText placed = placed_text(*node);
  const std::size_t at = placed.text.find(what);
  if (at == std::string::npos) return "not in '" + placed.text + "'";
  const SourceSpan span = placed.span(at, at + what.size());
  return std::to_string(span.line()) + ":" + std::to_string(span.column()) + "+" + std::to_string(span.length());
}

}  // namespace

TEST_CASE("placed_text: plain, quoted and block scalars") {
  CHECK(place("a: one two\nb: three", "a", "two") == "1:8+3");
  CHECK(place("a: one two\nb: three", "b", "three") == "2:4+5");
  CHECK(place("a: 'it''s here'", "a", "here") == "1:11+4");
  CHECK(place("a: \"tab\\tand \\\"q\\\" here\"", "a", "here") == "1:20+4");
  CHECK(place("a: \"\\u00e9\\x41 z\"", "a", "z") == "1:16+1");
  CHECK(place("a: |\n  first\n    deeper\n  last\n", "a", "deeper") == "3:5+6");
  CHECK(place("a: |\n  first\n    deeper\n  last\n", "a", "last") == "4:3+4");
  CHECK(place("a: |-   # comment\n\n  first\n", "a", "first") == "3:3+5");
  CHECK(place("a: >-\n  one\n  two\n\n  three\n", "a", "two") == "3:3+3");
  CHECK(place("a: >-\n  one\n  two\n\n  three\n", "a", "three") == "5:3+5");
  CHECK(place("a: one\n  two\n  three\nb: 1", "a", "three") == "3:3+5");
  CHECK(place("a: \"one\n  two\"\n", "a", "two") == "2:3+3");
  CHECK(place("a: |\r\n  first\r\n  second\r\n", "a", "second") == "3:3+6");
}

TEST_CASE("placed_text: columns count code points") {
  CHECK(place("é: ü\na: 'äöü x'", "a", "x") == "2:9+1");
  CHECK(place("# ééé\na: |\n  ∑ x\n", "a", "x") == "3:5+1");
  CHECK(place("{é: \"ß ß\", a: \"ß here\"}", "a", "here") == "1:18+4");
  CHECK(place("\xEF\xBB\xBF"
              "a: here",
              "a", "here") == "1:5+4");
}

TEST_CASE("placed_text: anchors do not move the place") {
  CHECK(place("a: &mark here\nb: *mark", "a", "here") == "1:10+4");
  CHECK(place("a: &mark here\nb: *mark", "b", "here") == "1:10+4");
}

TEST_CASE("read_yaml: kinds, quoting and several documents") {
  const auto documents = read_yaml(file("a: 1\nb: '1'\nc: [x, {y: z}]\nd:\n---\n- 2\n"));
  REQUIRE(documents);
  REQUIRE(documents->size() == 2);
  const YamlNode& map = documents->at(0);
  CHECK_FALSE(map.find("a")->quoted);
  CHECK(map.find("b")->quoted);
  CHECK(map.find("c")->items[1].find("y")->text == "z");
  CHECK(map.find("d")->is_null());
  CHECK(map.find("e") == nullptr);
  CHECK(documents->at(1).is_sequence());
}

TEST_CASE("read_yaml: damaged text gives diagnostics, never more") {
  for (const std::string text : {"a: [", "a: {b", "\"",      "'",     "a: b: c", "- a\nb",        "*x",       "&",
                                 "!",    "%",     "a: |x\n", "? ",    "\t- a",   "a: \"\\q\"",    "\xff",     "a\x01",
                                 ": :",  "[[[[[", "}",       "a: *a", ", *",     "---\n---\n...", "a: >9\n x"}) {
    INFO(text);
    const auto documents = read_yaml(file(text));
    CHECK((documents.ok() || documents.diagnostics().has_errors()));
  }
}

TEST_CASE("read_yaml: a value that is left out has the place of its key, one that is spelled its own") {
  const auto line_of = [](const std::string& text, const std::string& key) {
    const auto documents = read_yaml(file(text));
    REQUIRE(documents.ok());
    const SourceSpan& span = documents->at(0).find(key)->span;
    return std::to_string(span.line()) + ":" + std::to_string(span.column());
  };
  CHECK(line_of("a:\n", "a") == "1:1");
  CHECK(line_of("b: 1\na:\nc: 2\n", "a") == "2:1");
  CHECK(line_of("{b: 1, a: , c: 2}", "a") == "1:8");
  CHECK(line_of("b: 1\na: ~\n", "a") == "2:4");
  CHECK(line_of("a: null\nb: 1\n", "a") == "1:4");
}

TEST_CASE("read_yaml: a tab before a key is named as what is wrong") {
  const auto read = read_yaml(std::make_shared<const SourceFile>("a.yaml", "ops:\n  - op: f\n    doc: d\n\tbody: |\n"));
  REQUIRE_FALSE(read.ok());
  CHECK(read.diagnostics().text().find("YAML is indented with spaces, not with tabs") != std::string::npos);
}

}  // namespace yaml_places_test
