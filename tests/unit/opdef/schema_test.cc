// The schemas of docs/schema, with which editors complete keys, name the keys that the readers take.
#include <algorithm>

#include "catch.h"
#include "frontend/yaml/read_graph_yaml.h"
#include "opdef/read/read_op.h"
#include "semantics/library_semantics.h"
#include "shipped_library.h"
#include "support/yaml_document.h"

namespace schema_test {

using namespace tenon;

namespace {

/// The keys of the map that is reached through `path`; JSON is YAML.
std::vector<std::string> keys_at(const std::string& schema, const std::vector<std::string>& path) {
  const auto file = read_source(std::string(TENON_CHECKOUT) + "/docs/schema/" + schema);
  REQUIRE(file);
  const auto documents = read_yaml(*file);
  REQUIRE(documents.ok());
  const YamlNode* node = &documents.value().at(0);
  for (const std::string& key : path) {
    node = node->find(key);
    REQUIRE(node != nullptr);
  }
  std::vector<std::string> keys;
  for (const YamlEntry& e : node->entries) keys.push_back(e.key.text);
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::vector<std::string> sorted(std::vector<std::string> v) {
  std::sort(v.begin(), v.end());
  return v;
}

/// What the message about an unknown key says that the keys are.
std::vector<std::string> keys_said(const std::string& graph) {
  const OpSemantics semantics = folding_semantics(tenon_test::shipped_ops());
  const auto read =
      read_graph_yaml(std::make_shared<const SourceFile>("g.yaml", graph), semantics, {{}, GraphMode::step});
  REQUIRE_FALSE(read.ok());
  const std::string text = read.diagnostics().text(), lead = "the keys are ";
  const size_t at = text.find(lead);
  REQUIRE(at != std::string::npos);
  std::vector<std::string> keys{""};
  for (const char c : text.substr(at + lead.size(), text.find('\n', at) - at - lead.size()))
    if (c == ',') keys.emplace_back();
    else if (c != ' ') keys.back() += c;
  return sorted(keys);
}

}  // namespace

TEST_CASE("schemas: the keys of an op and of a graph") {
  CHECK(keys_at("definitions.schema.json", {"definitions", "op", "properties"}) == sorted(op_keys()));
  const std::string graph = "graph: g\nmain: y = relu(x)\noutputs: [y]\ninputs: {x: \"f32[3]\"}\n";
  CHECK(keys_at("graph.schema.json", {"properties"}) == keys_said(graph + "qqqqqqqq: 1\n"));
  CHECK(keys_at("graph.schema.json", {"properties", "train", "properties"}) ==
        keys_said(graph + "train: {loss: mean(y), optimizer: sgd(lr=0.1), qqqqqqqqqqqq: 1}\n"));
}

TEST_CASE("schemas: every key of the shipped definitions is named") {
  const std::vector<std::string> known = keys_at("definitions.schema.json", {"definitions", "family", "properties"});
  for (const SourceFileRef& file : tenon_test::yaml_files("opdefs")) {
    const auto documents = read_yaml(file);
    const YamlNode* families = documents.value().at(0).find("families");
    for (const YamlNode& family : families ? families->items : std::vector<YamlNode>{})
      for (const YamlEntry& e : family.entries) {
        INFO(file->name() << ": " << e.key.text);
        CHECK(std::find(known.begin(), known.end(), e.key.text) != known.end());
      }
  }
}

}  // namespace schema_test
