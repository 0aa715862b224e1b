// read_yaml ends on texts from which the YAML library would read for ever.
#include "catch.h"
#include "support/yaml_document.h"

namespace yaml_limits_test {

TEST_CASE("yaml that would be read for ever is refused") {
  const auto file = std::make_shared<tenon::SourceFile>("x.yaml", ", *");
  const auto read = tenon::read_yaml(file);
  CHECK_FALSE(read.ok());
  CHECK(read.diagnostics().has_errors());
}

}  // namespace yaml_limits_test
