// Aborting with a message.
#include "support/check.h"

#include <cstdio>
#include <cstdlib>

namespace tenon {

void check_failed(const char* file, int line, std::string_view what) {
  std::fprintf(stderr, "tenon: internal fault at %s:%d: %.*s\n", file, line, static_cast<int>(what.size()), what.data());
  std::abort();
}

}  // namespace tenon
