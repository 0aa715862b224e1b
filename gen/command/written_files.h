// Files that a command writes under names that the user gave, checked before it starts to work.
#pragma once

#include <string>
#include <vector>

#include "pipeline/run.h"
#include "support/file_form.h"

namespace tenon {

struct WrittenFile {
  std::string flag;
  std::string path;
  FileForm form;
};

/// Stops where one of them would take the place of a file that the command reads, of another that it writes, or,
/// without --force, of a file that does not look like one of Tenon's.
void refuse_overwriting(const Run& run, const std::vector<WrittenFile>& written, const std::vector<std::string>& read);

/// Stops where one of them, written by a generated program, would be in a folder that does not exist.
void refuse_missing_folders(const Run& run, const std::vector<WrittenFile>& written);

}  // namespace tenon
