// The failing branch of TENON_CHECK.
#include "support/check.h"

#include <cstdio>
#include <cstdlib>

namespace tenon {

void check_failed(const char* file, int line, const char* condition, std::string_view message) {
  const char* separator = message.empty() ? "" : ": ";
  std::fflush(stdout);
  std::fprintf(stderr, "%s:%d: internal error: %s%s%.*s\n", file, line, condition, separator,
               static_cast<int>(message.size()), message.data());
  std::abort();
}

}  // namespace tenon
