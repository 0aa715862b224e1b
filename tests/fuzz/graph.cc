// Fuzzes graphs in YAML: any text is read or refused with places, and a graph that is read is sound.
#include <cstdint>

#include "../small_library.h"
#include "frontend/yaml/read_graph_yaml.h"
#include "support/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const tenon::OpSemantics semantics = tenon_test::small_semantics();
  const auto file =
      std::make_shared<tenon::SourceFile>("fuzz.yaml", std::string(reinterpret_cast<const char*>(data), size));
  const auto graph = tenon::read_graph_yaml(file, semantics, {});
  if (graph.ok()) TENON_CHECK(tenon::verify(*graph).empty(), "{}", tenon::verify(*graph)[0]);
  else TENON_CHECK(!graph.diagnostics().text().empty());
  return 0;
}
