// Formatted text to a standard stream. Write errors are recorded by the stream and checked at the end of the program.
#pragma once

#include <fmt/format.h>

#include <cstdio>

namespace tenon {

/// Unlike fmt::print, which throws where the disk is full or the stream is closed.
template <class... Args>
void print_to(std::FILE* stream, fmt::format_string<Args...> text, Args&&... args) {
  const std::string line = fmt::format(text, std::forward<Args>(args)...);
  std::fwrite(line.data(), 1, line.size(), stream);
}

}  // namespace tenon
