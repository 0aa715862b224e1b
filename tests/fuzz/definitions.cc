// Fuzzes the door for definition files: YAML with places, notation, declarations, families. It answers with a library
// or diagnostics.
#include <cstdint>
#include <string>

#include "opdef/read_ops.h"
#include "support/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file =
      std::make_shared<tenon::SourceFile>("fuzz.yaml", std::string(reinterpret_cast<const char*>(data), size));
  const auto ops = tenon::read_ops({}, {file});
  TENON_CHECK(ops.ok() || !ops.diagnostics().empty(), "refused without a reason");
  return 0;
}
