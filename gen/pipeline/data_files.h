// The shipped files that a run reads: definitions, rows, rules, schedules, frames. Each becomes a dependency of the
// output.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/nest/blueprint.h"
#include "pipeline/session.h"

namespace tenon {

/// Files of a folder, but not of folders in it, whose names end so, sorted by path. None where there is no folder.
std::vector<std::string> files_ending(const std::filesystem::path& folder, std::string_view ending);
/// The texts of these files. Nothing, with all messages on stderr, where one cannot be read.
std::optional<std::vector<SourceFileRef>> read_files(Session& session, const std::vector<std::string>& paths);
/// Frames below templates/, their texts by the names given. Nothing, with a message on stderr, where one cannot be
/// read.
std::optional<std::map<std::string, std::string>> read_frames(Session& session, const std::vector<std::string>& names);
/// The schedules of templates/blueprints. Nothing, with all messages on stderr, where one is wrong.
std::optional<Blueprints> read_schedules(Session& session);

}  // namespace tenon
