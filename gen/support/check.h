// TENON_CHECK: an invariant of the generator; a violation is a bug in Tenon and aborts with position and message.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace tenon {

/// Prints `FILE:LINE: internal error: CONDITION: MESSAGE` on stderr and aborts.
[[noreturn]] void check_failed(const char* file, int line, const char* condition, std::string_view message);

namespace check_detail {
inline std::string message() { return {}; }
template <class... Args>
std::string message(fmt::format_string<Args...> format, Args&&... args) {
  return fmt::format(format, std::forward<Args>(args)...);
}
}  // namespace check_detail
}  // namespace tenon

/// TENON_CHECK(condition) or TENON_CHECK(condition, "format {}", values…): the message is only built on failure.
#define TENON_CHECK(condition, ...)                                                                       \
  do {                                                                                                    \
    if (!(condition)) [[unlikely]]                                                                        \
      ::tenon::check_failed(__FILE__, __LINE__, #condition, ::tenon::check_detail::message(__VA_ARGS__)); \
  } while (false)

/// TENON_UNREACHABLE("format {}", values…): code that no valid input reaches.
#define TENON_UNREACHABLE(...) \
  ::tenon::check_failed(__FILE__, __LINE__, "unreachable", ::tenon::check_detail::message(__VA_ARGS__))
