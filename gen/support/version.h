// The generator's version; CMakeLists.txt takes the project's from here.
#pragma once

#include <string_view>

namespace tenon {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace tenon
