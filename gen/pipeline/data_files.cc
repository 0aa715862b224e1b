// Lists folders of data, reads what lies there and remembers it in the session.
#include "pipeline/data_files.h"

#include <algorithm>

#include "schedule/read_blueprints.h"
#include "support/read_source.h"

namespace tenon {

namespace fs = std::filesystem;

std::vector<std::string> files_ending(const fs::path& folder, std::string_view ending) {
  std::vector<std::string> files;
  std::error_code unreadable;  // a folder without files then
  for (const auto& e : fs::directory_iterator(folder, unreadable))
    if (e.is_regular_file(unreadable) && e.path().filename().string().ends_with(ending))
      files.push_back(e.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::optional<std::vector<SourceFileRef>> read_files(Session& session, const std::vector<std::string>& paths) {
  std::vector<SourceFileRef> files;
  Diagnostics diagnostics;
  for (const std::string& path : paths) {
    const auto file = read_source(path);
    diagnostics.append(file.diagnostics());
    if (!file) continue;
    session.depends_on(path);
    files.push_back(*file);
  }
  if (session.report(diagnostics)) return std::nullopt;
  return files;
}

std::optional<std::map<std::string, std::string>> read_frames(Session& session, const std::vector<std::string>& names) {
  std::vector<std::string> paths;
  for (const std::string& name : names) paths.push_back((session.dirs().templates / name).string());
  const auto files = read_files(session, paths);
  if (!files) return std::nullopt;
  std::map<std::string, std::string> out;
  for (size_t i = 0; i < names.size(); ++i) out[names[i]] = (*files)[i]->text();
  return out;
}

std::optional<Blueprints> read_schedules(Session& session) {
  const fs::path folder = session.dirs().templates / "blueprints";
  auto rows = read_blueprint_folder(folder);
  if (session.report(rows.diagnostics())) return std::nullopt;
  for (const std::string& path : files_ending(folder, ".yaml")) session.depends_on(path);
  return std::move(rows).value();
}

}  // namespace tenon
