// read_yaml: documents, anchors, and texts that are not YAML.
#include "catch.h"
#include "support/yaml_document.h"

namespace yaml_reader_test {

using namespace tenon;

namespace {

/// Kinds and texts of a tree: {key value}, [item item], ~ for null, text in quotes where it is quoted.
std::string describe(const YamlNode& node) {
  std::string out;
  for (const YamlNode& item : node.items) out += (out.empty() ? "" : " ") + describe(item);
  for (const YamlEntry& e : node.entries) out += (out.empty() ? "" : " ") + describe(e.key) + " " + describe(e.value);
  if (node.is_null()) return "~";
  if (node.is_map()) return "{" + out + "}";
  if (node.is_sequence()) return "[" + out + "]";
  return node.quoted ? "'" + node.text + "'" : node.text;
}

/// The trees of all documents, or the first line of the errors.
std::string read(const std::string& text) {
  const auto documents = read_yaml(std::make_shared<const SourceFile>("t.yaml", text));
  if (!documents) return documents.diagnostics().text().substr(0, documents.diagnostics().text().find('\n'));
  std::string out;
  for (const YamlNode& d : *documents) out += (out.empty() ? "" : " | ") + describe(d);
  return out;
}

}  // namespace

TEST_CASE("read_yaml: scalars and collections of every style") {
  CHECK(read("") == "");
  CHECK(read("# nothing\n") == "");
  CHECK(read("a: one\n  two # c\nb: [x, {y: z, w: }]\n") == "{a one two b [x {y z w ~}]}");
  CHECK(read("a: |\n  x\n\n   y\n\nb: >-\n  x\n  y\n") == "{a 'x\n\n y\n' b 'x y'}");
  CHECK(read("- - a\n  - \"b\\\"\"\n- c: 'd''e'\n") == "[[a 'b\"'] {c 'd'e'}]");
  CHECK(read("a:\n- 1\n- ~\n- null\nb: ! null\n") == "{a [1 ~ ~] b 'null'}");
  CHECK(read("{\"a\":{\"b\":[1,2]},\"c\":\"x\\/y\"}") == "{'a' {'b' [1 2]} 'c' 'x/y'}");
  CHECK(read("a: {C?: x, D: y?}\r\n") == "{a {C? x D y?}}");
  CHECK(read("a: 1\n---\nb: 2\n") == "{a 1} | {b 2}");
}

TEST_CASE("read_yaml: an alias is what its anchor names, in this document") {
  CHECK(read("a: &x [1, 2]\nb: *x\nc: &y z\nd: *y\n") == "{a [1 2] b [1 2] c z d z}");
  CHECK(read("a: &x 1\n---\nb: *x\n") == "t.yaml:3:4: error: no anchor has this alias' name [E0107]");
  CHECK(read("a: &x [1, *x]\n") == "t.yaml:1:11: error: no anchor has this alias' name [E0107]");
}

TEST_CASE("read_yaml: errors are where they begin") {
  const std::string not_yaml = ": error: this is not YAML: ";
  CHECK(read("a: b: c\n").starts_with("t.yaml:1:5" + not_yaml));
  CHECK(read("é: 1\na: b: c\n").starts_with("t.yaml:2:5" + not_yaml));
  CHECK(read("\ta: 1\n").starts_with("t.yaml:1:1" + not_yaml));
  CHECK(read("- a\n-b\n").starts_with("t.yaml:2:1" + not_yaml));
  CHECK(read("- a\n-b\nc: 1\n").starts_with("t.yaml:2:1" + not_yaml));
  CHECK(read("a: [x\n").starts_with("t.yaml:2:1" + not_yaml));
  CHECK(read("a: 1\nb: 'x\nc: 2\n").starts_with("t.yaml:2:4: error: this is not YAML: the quote"));
  CHECK(read("a: \xC2\x80x\n").starts_with("t.yaml:1:4" + not_yaml));
}

}  // namespace yaml_reader_test
