// The generator's version; CMakeLists.txt takes the project's from here.
#pragma once

#include <string>
#include <string_view>

namespace tenon {

inline constexpr std::string_view kVersion = "0.1.0";

/// "100" for 0.1.0: major*10000 + minor*100 + patch, for comparisons in the preprocessor.
std::string version_number();

}  // namespace tenon
