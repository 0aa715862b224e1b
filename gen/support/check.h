// The check that aborts: behind the doors a broken promise is a fault of the generator, never of the user.
#pragma once

#include <string_view>

namespace tenon {

/// Prints the place and what was promised, then aborts.
[[noreturn]] void check_failed(const char* file, int line, std::string_view what);

}  // namespace tenon

/// Aborts with `what` (any string) unless `condition` holds.
#define TENON_CHECK(condition, what)                                  \
  do {                                                                \
    if (!(condition)) ::tenon::check_failed(__FILE__, __LINE__, (what)); \
  } while (false)
