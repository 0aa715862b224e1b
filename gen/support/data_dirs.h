// Where the shipped op definitions and templates are: in the install tree, the build tree, or where --opdefs points.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tenon {

struct DataDirs {
  std::filesystem::path opdefs;
  std::filesystem::path templates;
};

/// With `opdefs_override` (the value of --opdefs): that directory, or the `opdefs` folder in it; templates from the
/// `templates` folder next to it where there is one. Otherwise, first found: ../share/tenon next to the program, the
/// folder above the program, the source tree that the program was built from. Nothing if no such directory exists.
std::optional<DataDirs> find_data_dirs(const std::optional<std::string>& opdefs_override);

}  // namespace tenon
