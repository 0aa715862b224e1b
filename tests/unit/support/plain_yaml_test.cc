// read_plain_yaml reads shipped files as yaml-cpp does, and declines texts that need more.
#include "support/plain_yaml.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "catch.h"

namespace plain_yaml_test {

using namespace tenon;

namespace {

namespace fs = std::filesystem;

/// All of a node: kinds, texts and places.
void describe(const YamlNode& node, std::string& out) {
  out += std::to_string(static_cast<int>(node.kind)) + (node.quoted ? "q" : "") + "@" +
         std::to_string(node.span.begin) + "-" + std::to_string(node.span.end) + "[" + node.text + "](";
  for (const YamlNode& item : node.items) describe(item, out);
  for (const YamlEntry& entry : node.entries) describe(entry.key, out), describe(entry.value, out);
  out += ")";
}

std::string text_of(const std::vector<YamlNode>& documents) {
  std::string out;
  for (const YamlNode& document : documents) describe(document, out);
  return out;
}

/// The tree that LibYAML's events give; none if the text is declined.
std::optional<std::string> by_libyaml(const std::string& text) {
  const auto file = std::make_shared<const SourceFile>("t.yaml", text);
  Diagnostics diagnostics;
  YamlTree tree(file, diagnostics);
  try {
    if (!read_plain_yaml(text, tree) || !diagnostics.empty()) return std::nullopt;
  } catch (const YamlLimitPassed&) {
    return std::nullopt;
  }
  return text_of(tree.documents);
}

std::string by_yaml_cpp(const std::string& text) {
  const auto documents = read_yaml(std::make_shared<const SourceFile>("t.yaml", text));
  return documents ? text_of(*documents) : documents.diagnostics().text();
}

std::vector<std::string> shipped_texts() {
  std::vector<std::string> texts;
  for (const char* folder : {"/opdefs", "/templates"})
    for (const auto& entry : fs::recursive_directory_iterator(TENON_CHECKOUT + std::string(folder))) {
      if (entry.path().extension() != ".yaml") continue;
      std::ifstream in(entry.path());
      std::ostringstream text;
      text << in.rdbuf();
      texts.push_back(text.str());
    }
  return texts;
}

}  // namespace

TEST_CASE("read_plain_yaml: reads all shipped files, as yaml-cpp does") {
  for (const std::string& text : shipped_texts()) {
    INFO(text.substr(0, 100));
    const auto read = by_libyaml(text);
    REQUIRE(read);
    CHECK(*read == by_yaml_cpp(text));
  }
}

TEST_CASE("read_plain_yaml: reads scalars and collections of every style as yaml-cpp does") {
  for (const std::string text : {"a: one\n  two # c\nb: [x, {y: z, w: }]\n", "a: |\n  x\n\n   y\n\nb: >-\n  x\n  y\n",
                                 "- - a\n  - \"b\\\"\"\n- c: 'd''e'\n", "a:\n- 1\n- ~\nb: # c\n  null\n",
                                 "a: \"one\n  two\"\n", "a: [b,\n  c d\n  e]\n", "é: ∑ x\nz: y:x#1\n"}) {
    INFO(text);
    const auto read = by_libyaml(text);
    REQUIRE(read);
    CHECK(*read == by_yaml_cpp(text));
  }
}

TEST_CASE("read_plain_yaml: declines what yaml-cpp has to read or to report") {
  for (const std::string text : {"", "# nothing\n", "a: 1", "a: b: c\n", "a: &x 1\nb: *x\n", "a: !t 1\n",
                                 "a: 1\na: 2\n", "\ta: 1\n", "a: 1\r\n", "a: 1\n---\nb: 2\n", "a: 'x\n", "a: [x\n",
                                 "a: - b\n", "a: x\n  y: z\n", "> \n x\ny\n", "%YAML 1.2\n", "a: \xC2\x85\n",
                                 "\xEF\xBB\xBF"
                                 "a: 1\n"}) {
    INFO(text);
    CHECK_FALSE(by_libyaml(text));
  }
}

}  // namespace plain_yaml_test
