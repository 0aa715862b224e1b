// Looks for the data directories in order of preference.
#include "support/data_dirs.h"

#include <system_error>
#include <vector>

namespace tenon {
namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

std::vector<fs::path> roots() {
  std::vector<fs::path> found;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    const fs::path folder = program.parent_path();
    found.push_back(folder.parent_path() / "share" / "tenon");
    found.push_back(folder.parent_path());
  }
  found.emplace_back(TENON_SOURCE_DIR);
  return found;
}

// A trailing slash does not count as a level.
fs::path folder_above(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  return ((error ? path : whole) / "").lexically_normal().parent_path().parent_path();
}

std::optional<DataDirs> shipped() {
  for (const fs::path& root : roots())
    if (is_folder(root / "opdefs") && is_folder(root / "templates"))
      return DataDirs{root / "opdefs", root / "templates"};
  return std::nullopt;
}

}  // namespace

std::optional<DataDirs> find_data_dirs(const std::optional<std::string>& opdefs_override) {
  if (!opdefs_override) return shipped();
  const fs::path named(*opdefs_override);
  if (!is_folder(named)) return std::nullopt;
  const bool is_root = is_folder(named / "opdefs");
  const fs::path opdefs = is_root ? named / "opdefs" : named;
  const fs::path nearby = is_root ? named / "templates" : folder_above(named) / "templates";
  if (is_folder(nearby)) return DataDirs{opdefs, nearby};
  const auto fallback = shipped();
  if (!fallback) return std::nullopt;
  return DataDirs{opdefs, fallback->templates};
}

}  // namespace tenon
