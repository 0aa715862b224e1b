// read_plain_yaml makes of a text what the YAML library makes of it, or leaves the text alone.
#include "support/plain_yaml.h"

#include <filesystem>
#include <fstream>
#include <random>
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

/// What the direct reader makes of a text without faults; nothing where it leaves it alone.
std::optional<std::string> directly(const std::string& text) {
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

std::string by_library(const std::string& text) {
  const auto documents = read_yaml_by_library(std::make_shared<const SourceFile>("t.yaml", text));
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

/// A few lines of a text with up to four characters changed, taken out or put in.
std::string damaged(const std::string& text, std::mt19937& rng) {
  constexpr std::string_view kSigns = " :-#,[]{}\"'|>\n?&*!~ab\\  \n";
  const auto up_to = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n)(rng); };
  std::size_t begin = text.rfind('\n', up_to(text.size() - 1)) + 1, end = begin;
  for (std::size_t lines = 1 + up_to(11); lines > 0 && end != std::string::npos; --lines)
    end = text.find('\n', end + 1);
  std::string out = text.substr(begin, end == std::string::npos ? end : end - begin + 1);
  for (std::size_t changes = up_to(4); changes > 0 && !out.empty(); --changes) {
    const std::size_t at = up_to(out.size() - 1);
    const char sign = kSigns[up_to(kSigns.size() - 1)];
    switch (up_to(3)) {
      case 0: out.erase(at, 1 + up_to(2)); break;
      case 1: out.insert(at, 1, sign); break;
      case 2: out[at] = sign; break;
      default: out.insert(at, 1 + up_to(3), ' ');
    }
  }
  return out;
}

}  // namespace

TEST_CASE("read_plain_yaml: everything that is shipped is plain, and read as the library reads it") {
  for (const std::string& text : shipped_texts()) {
    INFO(text.substr(0, 100));
    const auto read = directly(text);
    REQUIRE(read);
    CHECK(*read == by_library(text));
  }
}

TEST_CASE("read_plain_yaml: what it does not leave alone it reads as the library does") {
  for (const std::string text : {"a: one\n  two # c\nb: [x, {y: z, w: }]\n", "a: |\n  x\n\n   y\n\nb: >-\n  x\n  y\n",
                                 "- - a\n  - \"b\\\"\"\n- c: 'd''e'\n", "a:\n- 1\n- ~\nb: # c\n  null\n",
                                 "a: \"one\n  two\"\n", "a: [b,\n  c d\n  e]\n", "é: ∑ x\nz: y:x#1\n"}) {
    INFO(text);
    const auto read = directly(text);
    REQUIRE(read);
    CHECK(*read == by_library(text));
  }
}

TEST_CASE("read_plain_yaml: what it is not sure of it leaves alone") {
  for (const std::string text : {"",
                                 "# nothing\n",
                                 "a: 1",
                                 "a: b: c\n",
                                 "a: &x 1\nb: *x\n",
                                 "a: !t 1\n",
                                 "a:\nb: 1\n",
                                 "a: 1\na: 2\n",
                                 "\ta: 1\n",
                                 "a: 1\r\n",
                                 "a: 1\n---\nb: 2\n",
                                 "{a: b?}\n",
                                 "{a, b}\n",
                                 "[a, ]\n",
                                 "? a\n: b\n",
                                 "a: 'x\n",
                                 "a: [x\n",
                                 "a: - b\n",
                                 "a: x\n  y: z\n",
                                 "a: x\n    # c\nb: y\n",
                                 "> \n x\ny\n",
                                 "a: |2\n   x\n",
                                 "a: \"\\x41\"\n",
                                 "%YAML 1.2\n"}) {
    INFO(text);
    CHECK_FALSE(directly(text));
  }
}

TEST_CASE("read_plain_yaml: damaged text is read as the library reads it, or left alone") {
  std::mt19937 rng(1);
  const std::vector<std::string> texts = shipped_texts();
  for (int i = 0; i < 3000; ++i) {
    const std::string text = damaged(texts[i % texts.size()], rng);
    const auto read = directly(text);
    if (!read) continue;
    INFO(text);
    REQUIRE(*read == by_library(text));
  }
}

}  // namespace plain_yaml_test
