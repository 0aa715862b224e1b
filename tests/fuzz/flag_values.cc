// Fuzzes the small syntaxes of flag values: they take a text or refuse it, and never do anything else.
#include <cstdint>
#include <string_view>

#include "cli/flags.h"
#include "support/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto bound = tenon::parse_size_bound(text)) TENON_CHECK(bound->low >= 0 && bound->low <= bound->high);
  if (const auto ranks = tenon::parse_ranks(text)) TENON_CHECK(!ranks->empty() && ranks->back() <= 8);
  if (const auto names = tenon::parse_name_list(text)) TENON_CHECK(!names->empty());
  return 0;
}
